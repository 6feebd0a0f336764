import { describe, expect, it } from 'vitest';
import type { Reason } from '../api/client';
import { foundSpeed } from './found-speed';

const named = (values: Record<string, unknown>): Reason =>
  ({ said: { code: 'bearing_fault', values } }) as unknown as Reason;

describe('the found speed of an event', () => {
  const fault = named({ hz: 107.4, speed_rpm: 1496.2, error_rpm: 2.1 });

  it('is that of the named fault, with its interval', () => {
    expect(foundSpeed([named({ hz: 3 }), fault], 1500)).toEqual({ rpm: 1496.2, errorRpm: 2.1 });
    expect(foundSpeed([fault], null)).toEqual({ rpm: 1496.2, errorRpm: 2.1 });
  });

  it('is not that of another shaft, nor a stated speed', () => {
    expect(foundSpeed([fault], 980)).toBeNull();
    expect(foundSpeed([named({ speed_rpm: 1500 })], 1500)).toBeNull();
  });
});
