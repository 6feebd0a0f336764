import type { EventView, LabelView } from '../api/client';

/** A list of events, newest first, with `event` added or replaced. */
export function patchEvents(events: EventView[], event: EventView): EventView[] {
  const rest = events.filter((other) => other.id !== event.id);
  return [...rest, event].sort((a, b) => b.started_ms - a.started_ms || (a.id < b.id ? 1 : -1));
}

/** A list of events with `label` on its event. */
export function patchEventLabel(events: EventView[], label: LabelView): EventView[] {
  return events.map((event) => (event.id === label.event_id ? withLabel(event, label) : event));
}

/** A list of labels, newest first, with `label` added or replaced. */
export function patchLabels(labels: LabelView[], label: LabelView): LabelView[] {
  const rest = labels.filter((other) => other.id !== label.id);
  return [...rest, label].sort((a, b) => b.created_ms - a.created_ms);
}

/** Whether a later label of the event, which the gateway acknowledged and a person has not undone,
 * replaces one of a list, newest first. */
export function replaced(labels: readonly LabelView[], i: number): boolean {
  return labels
    .slice(0, i)
    .some(
      (later) =>
        later.event_id === labels[i]?.event_id &&
        later.state === 'acknowledged' &&
        later.undone_ms == null,
    );
}

/** An event with a label, or without it where it no longer counts. */
export function withLabel<E extends EventView>(event: E, label: LabelView): E {
  if (label.takes_back) return event;
  if (label.undone_ms != null) {
    return event.label?.id === label.id ? { ...event, label: null } : event;
  }
  return notOlder(label, event.label) ? { ...event, label } : event;
}

function notOlder(label: LabelView, shown: LabelView | null | undefined): boolean {
  return shown == null || label.created_ms >= shown.created_ms;
}
