import { describe, expect, it } from 'vitest';
import { address, matchRoute } from './match';

describe('matchRoute', () => {
  it('finds every page by its own address', () => {
    expect(matchRoute(address.overview)).toEqual({ page: 'overview' });
    expect(matchRoute(address.machines)).toEqual({ page: 'machines' });
    expect(matchRoute(address.events)).toEqual({ page: 'events' });
    expect(matchRoute(address.labels)).toEqual({ page: 'labels' });
    expect(matchRoute(address.gateways)).toEqual({ page: 'gateways' });
    expect(matchRoute(address.machine('pump-3'))).toEqual({ page: 'machine', id: 'pump-3' });
    expect(matchRoute(address.alarms)).toEqual({ page: 'alarms' });
    expect(matchRoute(address.figures)).toEqual({ page: 'figures' });
    expect(matchRoute(address.models('pump-3'))).toEqual({ page: 'models', id: 'pump-3' });
    expect(matchRoute(address.event('01J'))).toEqual({ page: 'event', id: '01J' });
    expect(matchRoute(address.case('01J'))).toEqual({ page: 'case', id: '01J' });
  });

  it('takes ids with signs as they are', () => {
    expect(matchRoute(address.machine('hall 2/ü'))).toEqual({ page: 'machine', id: 'hall 2/ü' });
  });

  it('says lost instead of guessing', () => {
    for (const path of ['/nothing', '/machines/a/b', '/events/a/b/c', '/%E0%A4%A']) {
      expect(matchRoute(path)).toEqual({ page: 'lost' });
    }
  });

  it('keeps the query out of the path', () => {
    expect(address.machine('a', { point: 'DE' })).toBe('/machines/a?point=DE');
  });
});
