import { interpolated, wavOf } from './wav';

/** The audio context of the page; browsers allow it only after a touch. */
let context: AudioContext | undefined;

/** Stops the current sound, so that two sounds never play at once. */
let silence: (() => void) | undefined;

/** Lowest rate that every browser plays: the Web Audio standard names 8 to 96 kHz. */
const LEAST_HZ = 8000;

/** A sound that is loaded once and played at any rate from any position. */
export class Sound {
  state = $state<'idle' | 'loading' | 'playing' | 'failed'>('idle');
  /** Played share, 0..1. */
  place = $state(0);

  #buffer: AudioBuffer | undefined;
  #node: AudioBufferSourceNode | undefined;
  #frame = 0;
  /** Counts starts and stops: what loads for an earlier one is not played. */
  #turn = 0;
  readonly #silence = () => {
    this.stop();
  };

  constructor(
    readonly source: string,
    readonly rate: () => number,
  ) {}

  async toggle(): Promise<void> {
    if (this.state === 'playing' || this.state === 'loading') this.stop();
    else await this.#play();
  }

  stop(): void {
    this.#turn += 1;
    cancelAnimationFrame(this.#frame);
    if (this.#node) this.#node.onended = null;
    this.#node?.stop();
    this.#node = undefined;
    if (silence === this.#silence) silence = undefined;
    this.state = 'idle';
    this.place = 0;
  }

  async #play(): Promise<void> {
    context ??= new AudioContext();
    silence?.();
    silence = this.#silence;
    this.state = 'loading';
    const turn = ++this.#turn;
    try {
      await context.resume();
      this.#buffer ??= await load(context, this.source);
    } catch {
      if (turn === this.#turn) this.state = 'failed';
      return;
    }
    if (turn !== this.#turn) return; // stopped, or another was started meanwhile
    const node = context.createBufferSource();
    node.buffer = this.#buffer;
    node.connect(context.destination);
    node.onended = this.#silence;
    this.#node = node;
    this.state = 'playing';
    this.#follow(context, context.currentTime);
    node.start();
  }

  /** Keeps rate and place current: the pitch may be raised while it plays. */
  #follow(clock: AudioContext, lastS: number): void {
    const node = this.#node;
    if (!node?.buffer) return;
    const nowS = clock.currentTime;
    const played = ((nowS - lastS) * node.playbackRate.value) / node.buffer.duration;
    this.place = Math.min(1, this.place + played);
    node.playbackRate.value = this.rate();
    this.#frame = requestAnimationFrame(() => {
      this.#follow(clock, nowS);
    });
  }
}

async function load(context: AudioContext, source: string): Promise<AudioBuffer> {
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(answer.statusText);
  const file = await answer.arrayBuffer();
  const { fsHz, samples } = wavOf(file);
  if (fsHz >= LEAST_HZ) return context.decodeAudioData(file);
  const factor = Math.ceil(LEAST_HZ / fsHz);
  const raised = interpolated(samples, factor);
  const buffer = context.createBuffer(1, raised.length, factor * fsHz);
  buffer.copyToChannel(raised, 0);
  return buffer;
}
