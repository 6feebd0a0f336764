import { expect, it, vi } from 'vitest';
import { loadLater } from './later';

it('loads one page at a time, each in a quiet moment, and continues after one that fails', async () => {
  const quiet: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (run: () => void) => quiet.push(run));
  const begun: string[] = [];
  const page =
    (name: string, fails = false) =>
    () => {
      begun.push(name);
      return fails ? Promise.reject(new Error(name)) : Promise.resolve();
    };
  const all = loadLater([page('a', true), page('b'), page('c')]);
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  await settle();
  expect(begun).toEqual([]);
  for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
    expect(quiet).toHaveLength(1);
    quiet.shift()?.();
    await settle();
    expect(begun).toEqual(expected);
  }
  await all;
});
