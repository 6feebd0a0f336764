import type { LimitSettings } from '../api/client';
import { ownBand } from '../i18n/features';

/** What is wrong with a limit; checked before the request. */
export type LimitFault = 'empty' | 'order' | 'band';

/** A limit needs a level, and its warning comes before its alarm on the way to the bad side. */
export function faultOf({ feature, warning, alarm, direction }: LimitSettings): LimitFault | null {
  const [lowHz, highHz] = ownBand(feature) ?? [0, 1];
  if (lowHz >= highHz) return 'band';
  const set = [warning, alarm].filter((level): level is number => level != null);
  if (set.length === 0) return 'empty';
  if (set.length < 2) return null;
  const [first = 0, second = 0] = set;
  const sign = direction === 'below' ? -1 : 1;
  return sign * first > sign * second ? 'order' : null;
}
