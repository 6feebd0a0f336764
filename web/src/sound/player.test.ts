import { beforeEach, expect, it, vi } from 'vitest';
import { Sound } from './player.svelte';
import { interpolated } from './wav';

const FRAME_S = 0.5;
/** What a browser has for sound, and the frames it is asked for. */
let nodes: ReturnType<typeof node>[];
let frames: (() => void)[];
let answered: (() => void)[];

function node() {
  const made = {
    buffer: null as unknown,
    playbackRate: { value: 1 },
    onended: null,
    running: false,
    connect: () => undefined,
    start: () => (made.running = true),
    stop: () => (made.running = false),
  };
  return made;
}

class FakeContext {
  static nowS = 0;
  static made: { fsHz: number; n: number }[] = [];
  destination = {};
  get currentTime() {
    return FakeContext.nowS;
  }
  resume = () => Promise.resolve();
  decodeAudioData = () => Promise.resolve({ duration: 4 });
  createBuffer = (_channels: number, n: number, fsHz: number) => {
    FakeContext.made.push({ fsHz, n });
    return { duration: n / fsHz, copyToChannel: () => undefined };
  };
  createBufferSource = () => {
    nodes.push(node());
    return nodes.at(-1);
  };
}

/** A WAV file as the server writes it. */
function wav(fsHz: number, n: number): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(44 + 2 * n));
  const tag = (at: number, text: string) => {
    [...text].forEach((sign, i) => {
      view.setUint8(at + i, sign.charCodeAt(0));
    });
  };
  tag(0, 'RIFF');
  tag(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint32(24, fsHz, true);
  tag(36, 'data');
  view.setUint32(40, 2 * n, true);
  return view.buffer;
}

function serve(fsHz: number) {
  vi.stubGlobal('fetch', async () => {
    await new Promise<void>((resolve) => answered.push(resolve));
    return { ok: true, arrayBuffer: () => Promise.resolve(wav(fsHz, fsHz)) };
  });
}

/** Lets the server answer all that was asked, and all that waits for it run. */
async function settle() {
  for (let i = 0; i < 20; i += 1) {
    answered.splice(0).forEach((answer) => {
      answer();
    });
    await Promise.resolve();
  }
}

function frame() {
  FakeContext.nowS += FRAME_S;
  frames.splice(0).forEach((run) => {
    run();
  });
}

beforeEach(() => {
  nodes = [];
  frames = [];
  answered = [];
  FakeContext.made = [];
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
  vi.stubGlobal('cancelAnimationFrame', () => (frames = []));
  serve(8000);
});

it('plays once, however often it is tapped while it loads', async () => {
  const sound = new Sound('/a.wav', () => 1);
  void sound.toggle();
  void sound.toggle(); // thinks better of it
  void sound.toggle();
  await settle();
  expect(nodes.filter(({ running }) => running)).toHaveLength(1);
  expect(sound.state).toBe('playing');
  void sound.toggle();
  expect(nodes.filter(({ running }) => running)).toHaveLength(0);
});

it('takes a new pitch while it plays, and shows its place by it', async () => {
  let rate = 1;
  const sound = new Sound('/b.wav', () => rate);
  void sound.toggle();
  await settle();
  frame();
  expect(sound.place).toBeCloseTo(FRAME_S / 4);
  rate = 4;
  frame(); // the old rate counted until now
  frame();
  expect(nodes[0]?.playbackRate.value).toBe(4);
  expect(sound.place).toBeCloseTo((2 * FRAME_S + 4 * FRAME_S) / 4);
  sound.stop();
});

it('plays sensors that are slower than browsers play', async () => {
  serve(1600);
  const sound = new Sound('/c.wav', () => 1);
  void sound.toggle();
  await settle();
  expect(sound.state).toBe('playing');
  expect(FakeContext.made).toEqual([{ fsHz: 8000, n: 8000 }]);
  sound.stop();
});

it('keeps a tone and adds none when it raises the rate', () => {
  const tone = (hz: number, fsHz: number) =>
    Array.from({ length: fsHz }, (_, i) => Math.sin((2 * Math.PI * hz * i) / fsHz));
  const raised = interpolated(Float64Array.from(tone(300, 1000)), 8);
  const exact = tone(300, 8000);
  const errors = Array.from(raised.slice(400, -400), (v, i) => Math.abs(v - (exact[i + 400] ?? 9)));
  expect(Math.max(...errors)).toBeLessThan(0.01);
});
