import { api, dataOf, type Case, type Finding, type LabelView, type NewOrder } from '../api/client';
import { person } from '../state/person.svelte';

/** What people do with a case. */
export type CaseAction = 'acknowledge' | 'assign' | 'hand_over' | 'close' | 'reopen' | 'order';

export type OrderPriority = NonNullable<NewOrder['priority']>;
export const PRIORITIES: readonly OrderPriority[] = ['low', 'medium', 'high'];

export interface CaseFields {
  text: string;
  assignee: string;
  dueMs: number | null;
  finding: Finding;
  stop: 'avoided' | 'happened' | null;
  stopHours: number | null;
  systemId: string;
  priority: OrderPriority;
}

/** Does it; the case as it is then. */
export function act(
  action: CaseAction,
  caseId: string,
  { text, assignee, dueMs, finding, stop, stopHours, systemId, priority }: CaseFields,
): Promise<Case> {
  const params = { path: { case_id: caseId } };
  const actor = person.name.trim();
  switch (action) {
    case 'acknowledge':
      return dataOf(
        api.POST('/api/v1/cases/{case_id}/acknowledge', { params, body: { actor, comment: text } }),
      );
    case 'assign':
      return dataOf(
        api.POST('/api/v1/cases/{case_id}/assign', {
          params,
          body: { actor, assignee, due_ms: dueMs },
        }),
      );
    case 'hand_over':
      return dataOf(
        api.POST('/api/v1/cases/{case_id}/hand-over', { params, body: { actor, text, assignee } }),
      );
    case 'close':
      return dataOf(
        api.POST('/api/v1/cases/{case_id}/close', {
          params,
          body: { actor, finding, stop, stop_h: stopHours },
        }),
      );
    case 'order':
      return dataOf(
        api.POST('/api/v1/cases/{case_id}/order', {
          params,
          body: { actor, system_id: systemId, text, priority, due_ms: dueMs },
        }),
      );
    case 'reopen':
      return dataOf(
        api.POST('/api/v1/cases/{case_id}/reopen', { params, body: { actor, reason: text } }),
      );
  }
}

/** The finding that an answer already says; a real fault may be repaired or not. */
export function foundBy(answer: LabelView | null): Finding['result'] | '' {
  if (answer?.verdict === 'false_alarm') return 'no_fault';
  return answer?.verdict === 'planned_work' ? 'planned_work' : '';
}

/** The answer that a finding is; `unclear` is none. */
export function verdictOf({
  result,
}: Finding): 'confirmed_fault' | 'false_alarm' | 'planned_work' | null {
  switch (result) {
    case 'fault_repaired':
    case 'fault_not_repaired':
      return 'confirmed_fault';
    case 'no_fault':
      return 'false_alarm';
    case 'planned_work':
      return 'planned_work';
    case 'unclear':
      return null;
  }
}
