import type { Event, Label } from '../api/client';

/** A list of events, newest first, with `event` added or replaced. */
export function patchEvents(events: Event[], event: Event): Event[] {
  const rest = events.filter((other) => other.id !== event.id);
  return [...rest, event].sort((a, b) => b.started_ms - a.started_ms || (a.id < b.id ? 1 : -1));
}

/** A list of events with `label` on its event. */
export function patchEventLabel(events: Event[], label: Label): Event[] {
  return events.map((event) =>
    event.id === label.event_id && notOlder(label, event.label) ? { ...event, label } : event,
  );
}

/** A list of labels, newest first, with `label` added or replaced. */
export function patchLabels(labels: Label[], label: Label): Label[] {
  const rest = labels.filter((other) => other.id !== label.id);
  return [...rest, label].sort((a, b) => b.created_ms - a.created_ms);
}

function notOlder(label: Label, shown: Label | null | undefined): boolean {
  return shown == null || label.created_ms >= shown.created_ms;
}
