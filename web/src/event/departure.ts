import type { Reason } from '../api/client';

/**
 * The point at which a departure shows best: the one that the surest diagnosis names, else the one
 * that moved most. Evidence cannot decide this: it saturates at several points at once.
 */
export function clearestPoint(reasons: readonly Reason[]): string | null {
  const named = largest(reasons, (reason) => (reason.fault ? (reason.confidence ?? 0) : null));
  return (named ?? largest(reasons, departure))?.point ?? null;
}

/** The features of a point that moved, the one that moved most first. */
export function movedFeatures(reasons: readonly Reason[], point: string): string[] {
  return reasons
    .filter((reason) => reason.point === point)
    .flatMap(({ contributions }) => contributions)
    .sort((a, b) => Math.abs(b.sigma) - Math.abs(a.sigma))
    .map(({ feature }) => feature);
}

/** Sum of squared z-scores over all features of the point, from its largest contribution. */
function departure({ contributions: [top] }: Reason): number | null {
  return top && top.share > 0 ? top.sigma ** 2 / top.share : null;
}

/** The reason of a point with the largest `measure`; null excludes a reason. */
function largest(
  reasons: readonly Reason[],
  measure: (reason: Reason) => number | null,
): Reason | undefined {
  return reasons
    .filter((reason) => reason.point && measure(reason) !== null)
    .sort((a, b) => (measure(b) ?? 0) - (measure(a) ?? 0))[0];
}
