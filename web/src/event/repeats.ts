import type { EventView } from '../api/client';

/** An event of a list with those before it that say the same of the same machine. */
export interface Repeated {
  /** The newest. */
  event: EventView;
  /** The older ones, newest first. */
  earlier: EventView[];
}

/** Joins repeats: events of a machine with the same peak and the same kind of gravest reason. */
export function repeats(events: readonly EventView[]): Repeated[] {
  const groups = new Map<string, Repeated>();
  for (const event of [...events].sort((a, b) => b.started_ms - a.started_ms)) {
    const key = event.open || event.label ? event.id : `${event.machine_id} ${saysOf(event)}`;
    const known = groups.get(key);
    if (known) known.earlier.push(event);
    else groups.set(key, { event, earlier: [] });
  }
  return [...groups.values()];
}

function saysOf({ peak_condition, reasons: [first] }: EventView): string {
  return [peak_condition, first?.kind, first?.fault ?? first?.said?.code].join(' ');
}
