import { expect, it } from 'vitest';
import { faultOf } from './limits';

const limit = (warning: number | null, alarm: number | null, direction: 'above' | 'below') =>
  faultOf({ feature: 'rms', warning, alarm, direction });

it('needs a level, and a warning before its alarm', () => {
  expect(limit(null, null, 'above')).toBe('empty');
  expect(limit(4.5, null, 'above')).toBeNull();
  expect(limit(4.5, 7.1, 'above')).toBeNull();
  expect(limit(7.1, 4.5, 'above')).toBe('order');
  expect(limit(7.1, 4.5, 'below')).toBeNull();
  expect(limit(4.5, 7.1, 'below')).toBe('order');
});
