/** Rate and samples, −1..1, of a 16-bit mono WAV file as the server writes clips. */
export function wavOf(file: ArrayBuffer): { fsHz: number; samples: Float64Array } {
  const view = new DataView(file);
  const tag = (at: number) =>
    String.fromCharCode(...Array.from({ length: 4 }, (_, i) => view.getUint8(at + i)));
  if (file.byteLength < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') {
    throw new Error('not a WAV file');
  }
  let fsHz = 0;
  let at = 12;
  while (at + 8 <= file.byteLength) {
    const size = view.getUint32(at + 4, true);
    if (tag(at) === 'fmt ') fsHz = view.getUint32(at + 12, true);
    if (tag(at) === 'data') {
      const n = Math.min(size, file.byteLength - at - 8) >> 1;
      const samples = Float64Array.from(
        { length: n },
        (_, i) => view.getInt16(at + 8 + 2 * i, true) / 32_767,
      );
      return { fsHz, samples };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('no samples in the WAV file');
}

/** Samples on each side of a value between two that count for it. */
const REACH = 16;

/** The same signal at `factor` times its rate, by a windowed sinc: nothing is added above it. */
export function interpolated(samples: Float64Array, factor: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: samples.length * factor }, (_, i) => {
    const at = i / factor;
    const from = Math.max(0, Math.ceil(at) - REACH);
    const to = Math.min(samples.length - 1, Math.floor(at) + REACH);
    let sum = 0;
    for (let k = from; k <= to; k += 1) {
      const far = Math.PI * (at - k);
      const weight = far === 0 ? 1 : (Math.sin(far) / far) * Math.cos(far / REACH / 2) ** 2;
      sum += weight * (samples[k] ?? 0);
    }
    return sum;
  });
}
