/** Where the alarm level stands on the gauge: room is left to see how far beyond it is. */
const ALARM_AT = 0.75;

/** Maps evidence to 0..1: linear up to the alarm level, then ever closer to the end. */
export function evidenceScale(alarm: number): (evidence: number) => number {
  return (evidence) => {
    const share = Math.max(0, evidence) / alarm;
    if (share <= 1) return ALARM_AT * share;
    return ALARM_AT + (1 - ALARM_AT) * (1 - 1 / share);
  };
}
