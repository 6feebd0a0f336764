/** Radix-2 FFT in place; both arrays have the same power of two as length. */
export function fft(re: Float64Array, im: Float64Array, inverse = false): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j] ?? 0, re[i] ?? 0];
      [im[i], im[j]] = [im[j] ?? 0, im[i] ?? 0];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const angle = ((inverse ? 2 : -2) * Math.PI) / size;
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const wr = Math.cos(angle * k);
      const wi = Math.sin(angle * k);
      for (let a = k; a < n; a += size) {
        const b = a + half;
        const xr = (re[b] ?? 0) * wr - (im[b] ?? 0) * wi;
        const xi = (re[b] ?? 0) * wi + (im[b] ?? 0) * wr;
        re[b] = (re[a] ?? 0) - xr;
        im[b] = (im[a] ?? 0) - xi;
        re[a] = (re[a] ?? 0) + xr;
        im[a] = (im[a] ?? 0) + xi;
      }
    }
  }
  if (inverse) {
    for (let i = 0; i < n; i++) {
      re[i] = (re[i] ?? 0) / n;
      im[i] = (im[i] ?? 0) / n;
    }
  }
}

const powerFrom = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(2, n)));

/**
 * A signal integrated `times` over time, in the frequency domain.
 *
 * What is below `fromHz` is left out: integration would raise the drift of the sensor above all.
 */
export function integrated(
  signal: Float64Array,
  fsHz: number,
  times: number,
  fromHz: number,
): Float64Array {
  const n = powerFrom(signal.length);
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  re.set(signal);
  fft(re, im);
  for (let k = 0; k <= n / 2; k++) {
    const hz = (k * fsHz) / n;
    for (const at of k === 0 || k === n / 2 ? [k] : [k, n - k]) {
      let r = hz < fromHz ? 0 : (re[at] ?? 0);
      let i = hz < fromHz ? 0 : (im[at] ?? 0);
      // division by iω; ω is negative in the upper half
      const omega = (at === k ? 2 : -2) * Math.PI * hz;
      for (let t = 0; t < times && hz >= fromHz; t++) [r, i] = [i / omega, -r / omega];
      re[at] = r;
      im[at] = i;
    }
  }
  fft(re, im, true);
  return re.slice(0, signal.length);
}

/** Spectrum of peak amplitudes: the mean over windows of `size` (Hann, 50 % overlap). */
export function averaged(
  signal: Float64Array,
  size: number,
): { values: number[]; averages: number } {
  const window = Float64Array.from({ length: size }, (_, i) => Math.sin((Math.PI * i) / size) ** 2);
  const gain = window.reduce((sum, w) => sum + w, 0);
  const power = new Float64Array(size / 2 + 1);
  let averages = 0;
  for (let start = 0; start + size <= signal.length; start += size / 2) {
    const re = Float64Array.from(window, (w, i) => w * (signal[start + i] ?? 0));
    const im = new Float64Array(size);
    fft(re, im);
    for (let k = 0; k < power.length; k++) {
      power[k] = (power[k] ?? 0) + (re[k] ?? 0) ** 2 + (im[k] ?? 0) ** 2;
    }
    averages += 1;
  }
  const values = Array.from(power, (p) => (2 * Math.sqrt(p / Math.max(1, averages))) / gain);
  return { values, averages };
}
