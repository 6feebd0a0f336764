import type { Gateway, Rollout, RolloutGateway, UpdateBundle } from '../api/client';
import type { UpdatesText } from '../i18n/topics/updates';

export type Step = keyof UpdatesText['steps'];
export type Remedy = keyof UpdatesText['remedies'];

/** How far a gateway of a rollout is: what it reports of this rollout, else what the server knows. */
export function stepOf(
  rollout: Rollout,
  entry: RolloutGateway,
  gateway: Gateway | undefined,
): Step {
  const reported = gateway?.update?.rollout === rollout.id ? gateway.update.step : undefined;
  switch (entry.state) {
    case 'updated':
      return gateway && isHealthy(gateway, rollout.version) ? 'healthy' : 'installed';
    case 'offered':
      return reported ?? 'offered';
    case 'failed':
      return reported === 'rolled_back' || reported === 'rejected' ? reported : 'failed';
    default:
      return entry.state;
  }
}

/** What a person can do about a failed gateway: by how far its update came. */
export function remedyOf(
  rollout: Rollout,
  entry: RolloutGateway,
  gateway: Gateway | undefined,
): Remedy | null {
  if (entry.state !== 'failed') return null;
  const step = stepOf(rollout, entry, gateway);
  if (step === 'rolled_back' || step === 'rejected') return step;
  if (entry.said?.code === 'update_late') return 'late';
  const cause = entry.said?.values?.cause as { code?: string } | undefined;
  if (cause?.code === 'update_back' || cause?.code === 'update_power_cut') return 'rolled_back';
  const reported = gateway?.update?.rollout === rollout.id ? gateway.update.step : undefined;
  if (reported === 'failed') return 'failed';
  // An offer that another rollout's report has replaced: what became of it is not known.
  return gateway?.update && !reported && entry.offers > 0 ? null : 'rejected';
}

/** Whether a person paused it; one that stops by itself says why. */
export const isPaused = (rollout: Pick<Rollout, 'state' | 'said' | 'text'>): boolean =>
  rollout.state === 'stopped' && !rollout.said && !rollout.text;

/** Share of the bundle that a gateway has, 0 to 1; null when it downloads nothing. */
export function downloaded(rollout: Rollout, gateway: Gateway | undefined): number | null {
  const update = gateway?.update;
  if (update?.rollout !== rollout.id || update.step !== 'downloading' || !update.size) return null;
  return Math.min(1, update.bytes / update.size);
}

function isHealthy(gateway: Gateway, version: string): boolean {
  return (
    gateway.state === 'online' &&
    !gateway.stale &&
    gateway.version === version &&
    Object.keys(gateway.troubles).length === 0
  );
}

/** The stages as the server reads them; null if one is malformed. */
export function parseStages(text: string): string[] | null {
  const stages = text.split(/[\s,;]+/).filter(Boolean);
  const valid = stages.every((stage) => {
    const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(stage);
    return match && Number(match[1]) > 0 && (!match[2] || Number(match[1]) <= 100);
  });
  return valid && stages.length > 0 ? stages : null;
}

/** How many gateways each stage takes, as `auscult.app.updates.stages.placed` does it. */
export function planned(total: number, stages: string[]): number[] {
  const ends: number[] = [];
  for (const stage of stages) {
    const number = Number(stage.replace('%', ''));
    const end = stage.endsWith('%') ? Math.ceil((total * number) / 100) : Math.trunc(number);
    if (Math.min(total, end) > (ends.at(-1) ?? 0)) ends.push(Math.min(total, end));
  }
  if (ends.length === 0) return [total];
  ends[ends.length - 1] = total;
  return ends.map((end, i) => end - (ends[i - 1] ?? 0));
}

/** Platforms among these gateways that no bundle of the version is for. */
export function withoutBundle(
  gateways: Gateway[],
  bundles: UpdateBundle[],
  version: string,
): string[] {
  const there = new Set(bundles.filter((b) => b.version === version).map((b) => b.platform));
  return [...new Set(gateways.map((gateway) => gateway.platform))]
    .filter((platform) => !there.has(platform))
    .sort();
}
