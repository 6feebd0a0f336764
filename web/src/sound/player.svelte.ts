/** The audio context of the page; browsers allow it only after a touch. */
let context: AudioContext | undefined;

/** Stops the current sound, so that two sounds never play at once. */
let silence: (() => void) | undefined;

/** A sound that is loaded once and played at any rate from any position. */
export class Sound {
  state = $state<'idle' | 'loading' | 'playing' | 'failed'>('idle');
  /** Played share, 0..1. */
  place = $state(0);

  #buffer: AudioBuffer | undefined;
  #node: AudioBufferSourceNode | undefined;
  #frame = 0;
  readonly #silence = () => {
    this.stop();
  };

  constructor(
    readonly source: string,
    readonly rate: () => number,
  ) {}

  /** The samples, −1..1, for the waveform; null until loaded. */
  get samples(): Float32Array | undefined {
    return this.#buffer?.getChannelData(0);
  }

  async toggle(): Promise<void> {
    if (this.state === 'playing') this.stop();
    else await this.#play();
  }

  stop(): void {
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
    try {
      await context.resume();
      this.#buffer ??= await load(context, this.source);
    } catch {
      this.state = 'failed';
      return;
    }
    if (silence !== this.#silence) return; // another was started meanwhile
    const node = context.createBufferSource();
    node.buffer = this.#buffer;
    node.playbackRate.value = this.rate();
    node.connect(context.destination);
    node.onended = this.#silence;
    node.start();
    this.#node = node;
    this.state = 'playing';
    this.#follow(context, context.currentTime, this.#buffer.duration / this.rate());
  }

  #follow(clock: AudioContext, startedS: number, lengthS: number): void {
    this.place = Math.min(1, (clock.currentTime - startedS) / lengthS);
    this.#frame = requestAnimationFrame(() => {
      this.#follow(clock, startedS, lengthS);
    });
  }
}

async function load(context: AudioContext, source: string): Promise<AudioBuffer> {
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(answer.statusText);
  return context.decodeAudioData(await answer.arrayBuffer());
}
