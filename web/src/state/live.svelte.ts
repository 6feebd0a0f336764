import { api, ApiError, dataOf } from '../api/client';
import type {
  Case,
  ClipView,
  SentCommand,
  EventView,
  Gateway,
  Health,
  LabelView,
  Machine,
  Point,
} from '../api/client';
import { clock } from './clock.svelte';
import { session } from './session.svelte';

/** What the live stream carries: the same models as the resources. */
export interface LiveViews {
  gateway: Gateway;
  machine: Machine;
  point: Point;
  event: EventView;
  label: LabelView;
  command: SentCommand;
  clip: ClipView;
  case: Case;
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
  'case',
];

/** Interval of checking a silent stream: a dead network reports no error. */
const PROBE_MS = 10_000;
/** Time limit of a check. */
const PROBE_TIMEOUT_MS = 5000;

/** Least time between two deliveries, so that many views cost one redraw. */
const GATHER_MS = 16;

/** First and longest pause between tries; doubled each time to spare a restarting server. */
const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 15_000;

/** Where the time of the loss is kept over a reload. */
const LOST = 'auscult.lost';

type Listener<K extends LiveKind> = (view: LiveViews[K]) => void;

/** The live stream (SSE): passes new views to listeners and shows whether it is connected. */
class Live {
  state = $state<'connecting' | 'live' | 'lost'>('connecting');
  /** Device time of the loss of the stream, ms. */
  lostAt = $state<number | null>(null);
  /** Number of connections: a new one makes resources load again. */
  epoch = $state(0);
  /** Newest health of the dashboard. */
  health = $state.raw<Health>();

  #listeners = new Map<LiveKind, Set<Listener<never>>>();
  #source: EventSource | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = RETRY_MIN_MS;
  #gathered: [LiveKind, never][] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #deliveredAt = 0;

  /** Calls `listener` with each new view of a kind; returns the unsubscribe function. */
  on<K extends LiveKind>(kind: K, listener: Listener<K>): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners);
    listeners.add(listener as Listener<never>);
    return () => listeners.delete(listener as Listener<never>);
  }

  start(): () => void {
    this.#connect();
    // The browser detects an unplugged cable sooner than the stream does.
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
      sessionStorage.removeItem(LOST);
      this.epoch += 1;
      this.#pauseMs = RETRY_MIN_MS;
      void this.#probe();
    };
    // The server reports that views may have been missed.
    source.addEventListener('resync', () => {
      this.epoch += 1;
    });
    source.onerror = () => {
      this.#lose();
      // An ended session and an absent server look alike here: ask for the session.
      session.refresh().catch(() => undefined);
    };
    for (const kind of KINDS) {
      source.addEventListener(kind, (message: MessageEvent<string>) => {
        this.#gathered.push([kind, JSON.parse(message.data) as never]);
        if (this.#gathering !== undefined) return;
        this.#gathering = setTimeout(
          () => {
            this.#deliver();
          },
          this.#deliveredAt + GATHER_MS - performance.now(),
        );
      });
    }
  }

  #deliver(): void {
    this.#gathering = undefined;
    this.#deliveredAt = performance.now();
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
      // A server that answers with an error is still connected.
      if (!(error instanceof ApiError) || error.status === 0) this.#lose();
    }
  }

  #lose(): void {
    this.#source?.close();
    this.state = 'lost';
    // a reload without a connection does not begin the loss again
    this.lostAt ??= Number(sessionStorage.getItem(LOST) ?? Date.now());
    sessionStorage.setItem(LOST, String(this.lostAt));
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#connect();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, RETRY_MAX_MS);
  }
}

export const live = new Live();
