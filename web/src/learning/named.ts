import type { HeadUpdate } from '../api/client';
import type { Said } from '../i18n/words';

/** The events that a sentence of the gateway names, and those that its parts name. */
export function eventsIn(said: unknown): string[] {
  if (Array.isArray(said)) return [...new Set(said.flatMap(eventsIn))];
  const values = (said as Said | null | undefined)?.values ?? {};
  const named = Object.entries(values).flatMap(([name, one]) =>
    name === 'event' || name === 'events' ? [one].flat().map(String) : eventsIn(one),
  );
  return [...new Set(named)];
}

/** The events of an effect in the order of their numbers: those of its sentence have the first. */
export function eventsOf({ said, silenced, raised, contradicts }: HeadUpdate): string[] {
  return [...new Set([...eventsIn(said), ...silenced, ...raised, ...contradicts])];
}

/** A text, split before and after each id. */
export function splitAt(text: string, ids: readonly string[]): string[] {
  const longestFirst = [...ids].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((id) => id.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return ids.length ? text.split(new RegExp(`(${escaped.join('|')})`)) : [text];
}
