/** Position of the alarm level on the gauge; the rest shows how far evidence is beyond it. */
const ALARM_AT = 0.75;

/** Maps evidence to 0..1: linear up to the alarm level, then asymptotic to 1. */
export function evidenceScale(alarm: number): (evidence: number) => number {
  return (evidence) => {
    const share = Math.max(0, evidence) / alarm;
    if (share <= 1) return ALARM_AT * share;
    return ALARM_AT + (1 - ALARM_AT) * (1 - 1 / share);
  };
}
