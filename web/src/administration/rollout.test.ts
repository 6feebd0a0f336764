import { describe, expect, it } from 'vitest';
import type { Gateway, Rollout, RolloutGateway } from '../api/client';
import {
  downloaded,
  isPaused,
  parseStages,
  planned,
  remedyOf,
  stepOf,
  withoutBundle,
} from './rollout';

const rollout = { id: 'r1', version: '2.0' } as Rollout;
const entry = (state: RolloutGateway['state'], code?: string) =>
  ({ state, said: code ? { code, values: {} } : null }) as unknown as RolloutGateway;
const gateway = (more: Partial<Gateway>) =>
  ({ state: 'online', stale: false, version: '2.0', troubles: {}, ...more }) as Gateway;
const update = (step: string, id = 'r1') =>
  ({ rollout: id, version: '2.0', step, bytes: 25, size: 100 }) as NonNullable<Gateway['update']>;

describe('stepOf', () => {
  it('shows what the gateway reports of this rollout only', () => {
    const loads = gateway({ update: update('downloading') });
    expect(stepOf(rollout, entry('offered'), loads)).toBe('downloading');
    expect(downloaded(rollout, loads)).toBe(0.25);
    const other = gateway({ update: update('rolled_back', 'older') });
    expect(stepOf(rollout, entry('offered'), other)).toBe('offered');
    expect(downloaded(rollout, other)).toBeNull();
  });

  it('calls an updated gateway healthy only while it is online, current and without a fault', () => {
    expect(stepOf(rollout, entry('updated'), gateway({}))).toBe('healthy');
    for (const ill of [{ stale: true }, { version: '1.0' }, { troubles: { store: 'full' } }]) {
      expect(stepOf(rollout, entry('updated'), gateway(ill))).toBe('installed');
    }
    expect(stepOf(rollout, entry('updated'), undefined)).toBe('installed');
  });

  it('gives each failure its remedy', () => {
    const failed = entry('failed', 'update_step');
    const of = (step: string) => remedyOf(rollout, failed, gateway({ update: update(step) }));
    expect(of('rolled_back')).toBe('rolled_back');
    expect(of('rejected')).toBe('rejected');
    expect(of('failed')).toBe('failed');
    expect(remedyOf(rollout, entry('failed', 'update_late'), undefined)).toBe('late');
    // refused before the download: nothing was changed
    expect(remedyOf(rollout, entry('failed', 'update_off'), gateway({}))).toBe('rejected');
    // the gateway is away: its last sentence says what became of it
    const cause = { code: 'update_back', values: {} };
    const back = { ...failed, said: { code: 'update_ended', values: { cause } } };
    expect(remedyOf(rollout, back as unknown as RolloutGateway, undefined)).toBe('rolled_back');
    // a later rollout's report has replaced this one's: nothing is claimed of it
    const offered = { ...failed, offers: 1 };
    expect(remedyOf(rollout, offered, gateway({ update: update('installed', 'r2') }))).toBeNull();
    expect(remedyOf(rollout, entry('updated'), gateway({}))).toBeNull();
  });
});

describe('stages', () => {
  it('are read as the server reads them', () => {
    expect(parseStages('1, 10%; 100%')).toEqual(['1', '10%', '100%']);
    for (const wrong of ['', '0', 'half', '110%', '-1']) expect(parseStages(wrong)).toBeNull();
  });

  it('are shared out as the server does it', () => {
    expect(planned(40, ['1', '10%', '100%'])).toEqual([1, 3, 36]);
    expect(planned(4, ['1', '50%', '100%'])).toEqual([1, 1, 2]);
    expect(planned(4, ['1', '2'])).toEqual([1, 3]);
    expect(planned(1, ['1', '10%', '100%'])).toEqual([1]);
  });
});

it('names the platforms without a bundle', () => {
  const bundles = [{ version: '2.0', platform: 'x86_64-3.11' }] as never;
  const gateways = [gateway({ platform: 'aarch64-3.11' }), gateway({ platform: 'x86_64-3.11' })];
  expect(withoutBundle(gateways, bundles, '2.0')).toEqual(['aarch64-3.11']);
});

it('distinguishes a rollout that a person paused from one that stopped by itself', () => {
  const said = { code: 'rollout_unwell', values: { gateway: 'north~gw' } };
  expect(isPaused({ state: 'stopped', said: null, text: '' })).toBe(true);
  expect(isPaused({ state: 'stopped', said, text: 'x' })).toBe(false);
  expect(isPaused({ state: 'running', said: null, text: '' })).toBe(false);
});
