import type { Reason } from '../api/client';

/** The speed at which a diagnosis explains the lines, with the half width of its interval. */
export interface FoundSpeed {
  rpm: number;
  errorRpm: number;
}

/** Another shaft's speed differs by more: the diagnosis searches so far around the stated one. */
const SAME_SHAFT = 0.075;

/** The speed that the newest named bearing fault found; null without one at the nominal shaft. */
export function foundSpeed(
  reasons: readonly Reason[],
  nominalRpm: number | null,
): FoundSpeed | null {
  for (const { said } of reasons) {
    const { speed_rpm: rpm, error_rpm: errorRpm } = said.values ?? {};
    if (typeof rpm !== 'number' || typeof errorRpm !== 'number') continue;
    if (nominalRpm !== null && Math.abs(rpm / nominalRpm - 1) > SAME_SHAFT) continue;
    return { rpm, errorRpm };
  }
  return null;
}
