/** Samples of a 16-bit mono WAV file as the server writes clips, −1..1. */
export function samplesOf(file: ArrayBuffer): Float64Array {
  const view = new DataView(file);
  const tag = (at: number) =>
    String.fromCharCode(...Array.from({ length: 4 }, (_, i) => view.getUint8(at + i)));
  if (file.byteLength < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') {
    throw new Error('not a WAV file');
  }
  let at = 12;
  while (at + 8 <= file.byteLength) {
    const size = view.getUint32(at + 4, true);
    if (tag(at) === 'data') {
      const n = Math.min(size, file.byteLength - at - 8) >> 1;
      return Float64Array.from(
        { length: n },
        (_, i) => view.getInt16(at + 8 + 2 * i, true) / 32_767,
      );
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('no samples in the WAV file');
}
