/** What a gateway says by code: reasons, what a baseline lacks, why ISO does not judge. */
export const phrasesEn = {
  departs: (changes: string) => `departs from its baseline: ${changes}`,
  departsTogether: (point: string, changes: string) =>
    `its points together depart from the baseline, none of them alone yet` +
    (changes ? `; most at ${point}: ${changes}` : ''),
  likely: (fault: string, found: string, missing: string) =>
    `${fault} likely: ${found}${missing && `; ${missing} missing`}`,
  unclear: (faults: string[]) => `unclear: ${faults.join(' or ')} possible`,
  noSymptom: 'unclear: no fault’s leading symptom is there',
  bearingFault: (fault: string, bearing: string, hz: string, order: string, db: string) =>
    `${fault} of ${bearing} likely: envelope comb at ${hz} (${order} × stated speed), ${db} over chance`,
  theBearing: 'the bearing',
  noBearingFault: (line: string, db: string, ahead: string) =>
    `no bearing fault stands out: ${line} best with ${db} over chance, ${ahead} ahead of the next`,
  bearingNotCarried: 'unclear: the recording can’t carry the bearing’s fault frequencies',
  limit: (what: string, value: string, below: boolean, alarm: boolean, limit: string) =>
    `${what}: ${value} is ${below ? 'below' : 'above'} the ${alarm ? 'alarm' : 'warning'} limit of ${limit}`,
  forecast: (what: string, alarm: boolean, limit: string, when: string) =>
    `${what}: the ${alarm ? 'alarm' : 'warning'} limit of ${limit} is reached ${when} if the trend goes on`,
  when: (expected: string, earliest: string, latest: string | null, unit: TimeUnit) =>
    latest === null
      ? `in about ${expected} ${unit} (${earliest} ${unit} at the earliest)`
      : `in about ${expected} ${unit} (${earliest} to ${latest} ${unit})`,
  sensorFault: (faults: string) => `sensor fault: ${faults}`,
  silent: (s: string) => `no window for more than ${s}`,
  notRunning: 'not running: it is not judged',
  unseenState: (state: string, nearest: string) =>
    `operating state ${state} was never seen in the baseline (nearest: ${nearest})`,
  load: (load: string) => `load ${load}`,
  unstated: 'unstated',
  tag: (tag: string) => tag,
  resembles: (kind: string, actor: string, day: string, share: string) =>
    `resembles an earlier event that ${actor} confirmed as a fault on ${day}${kind && ` (${kind})`}: ${share} alike`,
  windows: (n: string) => `${n} more windows`,
  windowsAt: (n: string, where: string) => `${n} more windows at ${where}`,
  drift: (sigma: string, allowed: string) =>
    `the features still drift: a quarter of the period lies ${sigma}\u202fσ off, ${allowed}\u202fσ is allowed`,
  isoSupportUnknown:
    'the foundation is not declared: say rigid or flexible to be judged by ISO 20816-3',
  isoTooLarge: (power: string) =>
    `${power} is beyond ISO 20816-3 (50 MW): set fixed limits instead`,
  isoClassUnknown: 'neither rated power nor group is declared: give one to be judged by ISO 20816',
  isoUnitUndeclared: (points: string) =>
    `${points}: the unit is not declared; give g, m/s² or mm/s to be judged by ISO 20816`,
  sensors: {
    not_finite: 'values that are not numbers',
    flat_line: 'a flat line',
    clipping: 'clipping: the converter or the sensor is at full scale',
    bias: 'the bias is out of range: cable open or shorted',
    dropout: 'drop-outs within the signal',
    spikes: 'lone spikes: electrical disturbance',
    noise_floor: 'nothing above the converter’s noise',
  } as Record<string, string>,
  otherFaults: { rub: 'Rub', electrical: 'Electrical fault' } as Record<string, string>,
  /** A symptom as the gateway names it; it is the key. */
  symptom: (symptom: string) => symptom,
  /** A standard and its group, as a gateway names them. */
  standard: (title: string) => title,
  band: (range: string) => `band ${range}`,
  envelopeBand: (range: string, order: string) =>
    `envelope ${range}${order && ` (${order} × shaft)`}`,
  fluctuation: (range: string) => `fluctuation of band ${range}`,
  /** Sentences without a code, as the gateway wrote them. */
  sentence: (text: string) => text,
};

export type TimeUnit = 'months' | 'days' | 'hours' | 'minutes';
