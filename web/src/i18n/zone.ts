/** Times of day in the plant's zone, which may differ from that of the computer with the page. */

/** A moment as an `<input type="datetime-local">` has it, with seconds: `2026-03-02T06:00:00`. */
export function wallTime(ms: number, zone: string | undefined): string {
  let format = FORMATS.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', {
      dateStyle: 'short',
      timeStyle: 'medium',
      timeZone: zone,
    });
    FORMATS.set(zone, format);
  }
  return format.format(ms).replace(' ', 'T');
}

/** By zone: a list of 500 machines asks often, and a format is slow to make. */
const FORMATS = new Map<string | undefined, Intl.DateTimeFormat>();

/** UTC ms of a day (its start) or a moment as `wallTime` gives it; NaN where it is neither. */
export function instantOf(wall: string, zone: string | undefined): number {
  const asUtc = (text: string) => Date.parse(`${text.includes('T') ? text : `${text}T00:00`}Z`);
  const wanted = asUtc(wall);
  if (Number.isNaN(wanted)) return NaN;
  const offset = (ms: number) => asUtc(wallTime(ms, zone)) - ms;
  // the offset of the moment itself counts: it changes twice a year
  return wanted - offset(wanted - offset(wanted));
}

/** The zone's name if this browser knows it; else its own zone is used. */
export function knownZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
