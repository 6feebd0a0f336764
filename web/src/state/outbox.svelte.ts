import { api, ApiError, dataOf, type LabelView } from '../api/client';
import type { LabelRequest } from '../api/schema';

/** An answer that could not be sent yet; its id makes sending it twice the same as once. */
export interface KeptAnswer {
  eventId: string;
  body: LabelRequest;
}

const STORED = 'auscult.answers';
/** Interval of sending again while something is kept. */
const RETRY_MS = 3000;

/** Answers that wait on this device for a connection; they survive a reload. */
class Outbox {
  kept = $state.raw<readonly KeptAnswer[]>(stored());
  /** Why the server rejected a kept answer. */
  refusal = $state.raw<unknown>(null);
  #sending = false;

  has(id: string): boolean {
    return this.kept.some(({ body }) => body.id === id);
  }

  keep(answer: KeptAnswer): void {
    this.#store([...this.kept.filter(({ body }) => body.id !== answer.body.id), answer]);
  }

  /** Sends what is kept, oldest first, as long as the server answers. */
  async send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (const answer of this.kept) {
        try {
          await postLabel(answer);
        } catch (error) {
          // without an answer of the server it stays; a rejection would come again
          if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return;
          this.refusal = error;
        }
        this.#store(this.kept.filter(({ body }) => body.id !== answer.body.id));
      }
    } finally {
      this.#sending = false;
    }
  }

  start(): () => void {
    const timer = setInterval(() => {
      if (this.kept.length) void this.send();
    }, RETRY_MS);
    return () => {
      clearInterval(timer);
    };
  }

  #store(kept: readonly KeptAnswer[]): void {
    this.kept = kept;
    localStorage.setItem(STORED, JSON.stringify(kept));
  }
}

function stored(): KeptAnswer[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(kept) ? (kept as KeptAnswer[]) : [];
  } catch {
    return [];
  }
}

/** Sends an answer to the server. */
export const postLabel = ({ eventId, body }: KeptAnswer): Promise<LabelView> =>
  dataOf(
    api.POST('/api/v1/events/{event_id}/labels', {
      params: { path: { event_id: eventId }, query: { wait_s: 0 } },
      body,
    }),
  );

export const outbox = new Outbox();
