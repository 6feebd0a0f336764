import type { MachineDetail } from '../api/client';
import { familyReachHz, families, ZOOMS_HZ } from '../plots/marked';

const BEARING_LINES: Record<string, string> = {
  outer: 'BPFO',
  inner: 'BPFI',
  ball: 'BSF',
  cage: 'FTF',
};
const OF_SHAFT = ['imbalance', 'misalignment', 'bent', 'looseness'];

/** The query that marks a fault's lines, its period, and zooms to them; empty where it has none. */
export function faultLines(
  fault: string | null,
  bearing: string | null,
  { bearings, gear_teeth, speed_rpm }: Pick<MachineDetail, 'bearings' | 'gear_teeth' | 'speed_rpm'>,
): Record<string, string> {
  const all = families('', String, bearings, gear_teeth);
  const line = BEARING_LINES[fault ?? ''];
  const wanted =
    line !== undefined || fault === 'bearing'
      ? `bearing-${String(
          Math.max(
            0,
            bearings.findIndex((one) => one.name === bearing),
          ),
        )}`
      : fault === 'gear'
        ? `gear-${String(gear_teeth[0])}`
        : OF_SHAFT.includes(fault ?? '')
          ? 'shaft'
          : '';
  const family = all.find((one) => one.id === wanted);
  if (!family) return {};
  const own = family.orders.find((one) => one.name === line) ?? family.orders[0];
  const reach = familyReachHz(family, (speed_rpm ?? 0) / 60);
  const upto = ZOOMS_HZ.findLast((hz) => reach > 0 && hz >= reach);
  return {
    mark: family.id,
    ...(own && { period: `${family.id}/${own.name}` }),
    ...(upto && { upto: String(upto) }),
  };
}
