import type { Event, Label } from '../api/client';

/** A list of events, newest first, with a live one put in its place. */
export function patchEvents(events: Event[], event: Event): Event[] {
  const rest = events.filter((other) => other.id !== event.id);
  return [...rest, event].sort((a, b) => b.started_ms - a.started_ms || (a.id < b.id ? 1 : -1));
}

/** A list of events with a live label on the one that it answers. */
export function patchEventLabel(events: Event[], label: Label): Event[] {
  return events.map((event) =>
    event.id === label.event_id && notOlder(label, event.label) ? { ...event, label } : event,
  );
}

/** A list of labels, newest first, with a live one put in its place. */
export function patchLabels(labels: Label[], label: Label): Label[] {
  const rest = labels.filter((other) => other.id !== label.id);
  return [...rest, label].sort((a, b) => b.created_ms - a.created_ms);
}

function notOlder(label: Label, shown: Label | null | undefined): boolean {
  return shown == null || label.created_ms >= shown.created_ms;
}
