import { api, ApiError, dataOf } from '../api/client';
import type {
  ClipView,
  Command,
  Event,
  Gateway,
  Health,
  Label,
  Machine,
  Point,
} from '../api/client';
import { clock } from './clock.svelte';
import { session } from './session.svelte';

/** What the server says without being asked: the same model as the resource itself. */
export interface LiveViews {
  gateway: Gateway;
  machine: Machine;
  point: Point;
  event: Event;
  label: Label;
  command: Command;
  clip: ClipView;
}
export type LiveKind = keyof LiveViews;

const KINDS: readonly LiveKind[] = [
  'gateway',
  'machine',
  'point',
  'event',
  'label',
  'command',
  'clip',
];

/** A silent stream is checked this often: a dead network says nothing by itself. */
const PROBE_MS = 10_000;
/** Longer than this without an answer is no answer. */
const PROBE_TIMEOUT_MS = 5000;

/** Views that come within this time are shown together: a storm of them costs one redraw. */
const GATHER_MS = 16;

/** First and longest pause between tries; doubled each time, so that a restart is not stormed. */
const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 15_000;

type Listener<K extends LiveKind> = (view: LiveViews[K]) => void;

/** The live stream (SSE): tells its listeners what is new, and everyone when it is lost. */
class Live {
  state = $state<'connecting' | 'live' | 'lost'>('connecting');
  /** Device time at which the stream was lost. */
  lostAt = $state<number | null>(null);
  /** Counts connections: whatever was fetched during an earlier one is fetched again. */
  epoch = $state(0);
  /** How the dashboard itself is, as last answered. */
  health = $state.raw<Health>();

  #listeners = new Map<LiveKind, Set<Listener<never>>>();
  #source: EventSource | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = RETRY_MIN_MS;
  #gathered: [LiveKind, never][] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;

  /** Calls `listener` with each new view of a kind; returns what ends that. */
  on<K extends LiveKind>(kind: K, listener: Listener<K>): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners);
    listeners.add(listener as Listener<never>);
    return () => listeners.delete(listener as Listener<never>);
  }

  start(): () => void {
    this.#connect();
    // The browser knows of a pulled cable long before a silent stream does.
    const onOffline = () => {
      this.#lose();
    };
    const onOnline = () => {
      this.#pauseMs = RETRY_MIN_MS;
      this.#connect();
    };
    addEventListener('offline', onOffline);
    addEventListener('online', onOnline);
    const probing = setInterval(() => void this.#probe(), PROBE_MS);
    return () => {
      clearInterval(probing);
      removeEventListener('offline', onOffline);
      removeEventListener('online', onOnline);
      clearTimeout(this.#retry);
      this.#source?.close();
    };
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    const source = new EventSource('/api/v1/live');
    this.#source = source;
    source.onopen = () => {
      this.state = 'live';
      this.lostAt = null;
      this.epoch += 1;
      this.#pauseMs = RETRY_MIN_MS;
      void this.#probe();
    };
    // The server says that something may have been missed.
    source.addEventListener('resync', () => {
      this.epoch += 1;
    });
    source.onerror = () => {
      this.#lose();
      // Refused, because the session ended, or really away: only asking tells.
      session.refresh().catch(() => undefined);
    };
    for (const kind of KINDS) {
      source.addEventListener(kind, (message: MessageEvent<string>) => {
        this.#gathered.push([kind, JSON.parse(message.data) as never]);
        if (this.#gathering !== undefined) return;
        this.#gathering = setTimeout(() => {
          this.#deliver();
        }, GATHER_MS);
      });
    }
  }

  #deliver(): void {
    this.#gathering = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    for (const [kind, view] of gathered) {
      for (const listener of this.#listeners.get(kind) ?? []) listener(view);
    }
  }

  async #probe(): Promise<void> {
    if (this.state !== 'live') return;
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    try {
      this.health = await dataOf(api.GET('/api/health', { signal }));
      clock.setServerTime(this.health.now_ms);
    } catch (error) {
      // A server that answers, however badly, is not a lost connection.
      if (!(error instanceof ApiError) || error.status === 0) this.#lose();
    }
  }

  #lose(): void {
    this.#source?.close();
    this.state = 'lost';
    this.lostAt ??= Date.now();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#connect();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, RETRY_MAX_MS);
  }
}

export const live = new Live();
