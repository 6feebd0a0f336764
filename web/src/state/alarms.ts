import {
  api,
  dataOf,
  type SentCommand,
  type EventView,
  type HandlingPart,
  type Machine,
} from '../api/client';
import { newId } from '../api/identity';

export type AlarmState = HandlingPart['state'];

/** Actions on an alarm or on a machine's alarms. */
export type AlarmAction =
  'acknowledge' | 'shelve' | 'unshelve' | 'out_of_service' | 'return_to_service' | 'finish_work';

/** Alarm states that are listed: all but `normal`. */
export const LISTED: AlarmState[] = [
  'unacknowledged',
  'returned',
  'acknowledged',
  'shelved',
  'out_of_service',
  'planned_work',
];

export const GROUPS = [
  'waiting',
  'acknowledged',
  'planned_work',
  'shelved',
  'out_of_service',
] as const;
export type AlarmGroup = (typeof GROUPS)[number];

/** The heading that an alarm is listed under; null = not listed. */
export function groupOf(state: AlarmState): AlarmGroup | null {
  if (state === 'normal') return null;
  return state === 'unacknowledged' || state === 'returned' ? 'waiting' : state;
}

/** Open ones first, then the worst, then the newest. */
export function worstAlarmFirst(a: EventView, b: EventView): number {
  const alarm = (event: EventView) => Number(event.peak_condition === 'alarm');
  const open = (event: EventView) => Number(event.open);
  return (
    open(b) - open(a) ||
    alarm(b) - alarm(a) ||
    b.started_ms - a.started_ms ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Content of a heading: alarms, and suppressed machines without an alarm. */
export interface GroupContent {
  events: EventView[];
  machines: Machine[];
}

/** Groups alarms by heading, worst first. */
export function inGroups(
  events: readonly EventView[],
  machines: readonly Machine[],
): Record<AlarmGroup, GroupContent> {
  const sorted = [...events].sort(worstAlarmFirst);
  const listed = (group: AlarmGroup): GroupContent => {
    const mine = sorted.filter((event) => groupOf(event.handling.state) === group);
    const busy = new Set(mine.map((event) => event.machine_id));
    const resting = machines.filter(
      ({ id, suppression }) => suppression?.kind === group && !busy.has(id),
    );
    return { events: mine, machines: resting };
  };
  return {
    waiting: listed('waiting'),
    acknowledged: listed('acknowledged'),
    planned_work: listed('planned_work'),
    shelved: listed('shelved'),
    out_of_service: listed('out_of_service'),
  };
}

/** Target of an action: an event, or all alarms of a machine. */
export interface AlarmTarget {
  machineId: string;
  machineName: string;
  eventId?: string;
}

interface RequestFields {
  actor: string;
  comment: string;
  durationS: number;
}

/** How long the server waits for the gateway's answer, s. */
const WAIT_S = 5;

/** Sends an action to the gateway, which owns the alarm states; its command holds the answer. */
export function handleAlarm(
  action: AlarmAction,
  target: AlarmTarget,
  { actor, comment, durationS }: RequestFields,
): Promise<SentCommand> {
  const request = { id: newId(), actor };
  const query = { wait_s: WAIT_S };
  const params = { path: { machine_id: target.machineId }, query };
  switch (action) {
    case 'acknowledge':
      return dataOf(
        api.POST('/api/v1/events/{event_id}/acknowledge', {
          params: { path: { event_id: target.eventId ?? '' }, query },
          body: { ...request, comment },
        }),
      );
    case 'shelve':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/shelve', {
          params,
          body: { ...request, reason: comment, duration_s: durationS },
        }),
      );
    case 'unshelve':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/unshelve', {
          params,
          body: { ...request, comment },
        }),
      );
    case 'out_of_service':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/out-of-service', {
          params,
          body: { ...request, reason: comment },
        }),
      );
    case 'return_to_service':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/return-to-service', {
          params,
          body: { ...request, comment },
        }),
      );
    case 'finish_work':
      return dataOf(
        api.POST('/api/v1/machines/{machine_id}/work-finished', {
          params,
          body: { ...request, comment },
        }),
      );
  }
}
