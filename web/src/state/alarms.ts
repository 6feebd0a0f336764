import { api, dataOf, type Alarm, type Command, type Event, type Machine } from '../api/client';
import { newId } from '../api/identity';

export type AlarmState = Alarm['state'];

/** What a person can do with an alarm or with a machine's alarms. */
export type AlarmAction =
  'acknowledge' | 'shelve' | 'unshelve' | 'out_of_service' | 'return_to_service';

/** Alarms that are listed: all but those that are over and known of. */
export const LISTED: AlarmState[] = [
  'unacknowledged',
  'returned',
  'acknowledged',
  'shelved',
  'out_of_service',
];

export const GROUPS = ['waiting', 'acknowledged', 'shelved', 'out_of_service'] as const;
export type AlarmGroup = (typeof GROUPS)[number];

/** Under which heading an alarm is listed; null = nowhere, it is over. */
export function groupOf(state: AlarmState): AlarmGroup | null {
  if (state === 'normal') return null;
  return state === 'unacknowledged' || state === 'returned' ? 'waiting' : state;
}

/** Worst first, then the one that has waited longest. */
export function worstAlarmFirst(a: Event, b: Event): number {
  const alarm = (event: Event) => Number(event.peak_condition === 'alarm');
  return alarm(b) - alarm(a) || a.started_ms - b.started_ms || (a.id < b.id ? -1 : 1);
}

/** What is listed under a heading: alarms, and machines that are put to rest without one. */
export interface Listed {
  events: Event[];
  machines: Machine[];
}

/** Sorts alarms under their headings, the worst first. */
export function inGroups(
  events: readonly Event[],
  machines: readonly Machine[],
): Record<AlarmGroup, Listed> {
  const sorted = [...events].sort(worstAlarmFirst);
  const listed = (group: AlarmGroup): Listed => {
    const mine = sorted.filter((event) => groupOf(event.alarm.state) === group);
    const busy = new Set(mine.map((event) => event.machine_id));
    const resting = machines.filter(
      ({ id, suppression }) => suppression?.kind === group && !busy.has(id),
    );
    return { events: mine, machines: resting };
  };
  return {
    waiting: listed('waiting'),
    acknowledged: listed('acknowledged'),
    shelved: listed('shelved'),
    out_of_service: listed('out_of_service'),
  };
}

/** What an action acts on: an event, or all alarms of a machine. */
export interface AlarmTarget {
  machineId: string;
  machineName: string;
  eventId?: string;
}

interface Wish {
  actor: string;
  comment: string;
  durationS: number;
}

/** How long the server waits for the gateway's answer, s. */
const WAIT_S = 5;

/** Asks the gateway, which keeps the one truth; its answer says whether it was done. */
export function handleAlarm(
  action: AlarmAction,
  target: AlarmTarget,
  { actor, comment, durationS }: Wish,
): Promise<Command> {
  const wish = { id: newId(), actor };
  const query = { wait_s: WAIT_S };
  const params = { path: { machine_id: target.machineId }, query };
  switch (action) {
    case 'acknowledge':
      return dataOf(
        api.POST('/api/v1/events/{event_id}/acknowledge', {
          params: { path: { event_id: target.eventId ?? '' }, query },
          body: { ...wish, comment },
        }),
      );
    case 'shelve':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/shelve', {
          params,
          body: { ...wish, reason: comment, duration_s: durationS },
        }),
      );
    case 'unshelve':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/unshelve', { params, body: { ...wish, comment } }),
      );
    case 'out_of_service':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/out-of-service', {
          params,
          body: { ...wish, reason: comment },
        }),
      );
    case 'return_to_service':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/return-to-service', {
          params,
          body: { ...wish, comment },
        }),
      );
  }
}
