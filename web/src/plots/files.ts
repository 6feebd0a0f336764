/** A measured column for people and programs: a spectrum or a waveform of even steps. */
export interface Column {
  /** What is measured where. */
  title: string;
  abscissa: 'frequency' | 'time';
  /** First abscissa and step, Hz or s. */
  first: number;
  step: number;
  unit: string;
  values: readonly number[];
  atMs: number;
}

const X_NAMES = { frequency: 'frequency_hz', time: 'time_s' };

/** CSV with a header row; numbers have a decimal point in every language. */
export function csv({ abscissa, first, step, unit, values }: Column): string {
  const rows = values.map((value, i) => `${fixed(first + i * step)},${fixed(value)}`);
  return [`${X_NAMES[abscissa]},amplitude_${unit || 'unitless'}`, ...rows, ''].join('\n');
}

const fixed = (value: number): string => String(Number(value.toPrecision(8)));

/** Codes of data set 58 for the axes (universal file format, I-deas). */
const ABSCISSA = {
  time: { type: 17, func: 1, unit: 's' },
  frequency: { type: 18, func: 12, unit: 'Hz' },
};
const ORDINATE: Record<string, number> = { g: 12, 'm/s2': 12, 'm/s²': 12, 'mm/s': 11, um: 8 };
const A_LINE = 6;

/** Universal file, data set 58 in ASCII: real values in single precision with even steps. */
export function uff58({ title, abscissa, first, step, unit, values, atMs }: Column): string {
  const x = ABSCISSA[abscissa];
  const date = new Date(atMs).toISOString();
  const text = (line: string) => line.slice(0, 80);
  const name = (line: string, width: number) => ` ${line.slice(0, width).padEnd(width)}`;
  const axis = (type: number, label: string, of: string) =>
    int(type, 10) + int(0, 5) + int(0, 5) + int(0, 5) + name(label, 20) + name(of, 20);
  const lines = [
    '    -1',
    '    58',
    text(title || 'Auscult'),
    text('NONE'),
    text(date),
    text('Auscult'),
    text('NONE'),
    int(x.func, 5) +
      int(0, 10) +
      int(0, 5) +
      int(0, 10) +
      name('NONE', 10) +
      int(1, 10) +
      int(0, 4) +
      name('NONE', 10) +
      int(0, 10) +
      int(0, 4),
    int(2, 10) + int(values.length, 10) + int(1, 10) + real(first) + real(step) + real(0),
    axis(x.type, abscissa, x.unit),
    axis(ORDINATE[unit] ?? 0, 'amplitude', unit || 'NONE'),
    axis(0, 'NONE', 'NONE'),
    axis(0, 'NONE', 'NONE'),
  ];
  for (let i = 0; i < values.length; i += A_LINE) {
    lines.push(
      values
        .slice(i, i + A_LINE)
        .map(real)
        .join(''),
    );
  }
  return [...lines, '    -1', ''].join('\n');
}

const int = (value: number, width: number): string => String(value).padStart(width);

/** A real in the form E13.5. */
function real(value: number): string {
  const [mantissa = '0', exponent = '0'] = value.toExponential(5).split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${mantissa}E${sign}${exponent.replace(/[+-]/, '').padStart(2, '0')}`.padStart(13);
}

/** Has the browser save a text as a file. */
export function save(name: string, text: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name.replace(/[^\w.-]+/g, '_');
  link.click();
  URL.revokeObjectURL(link.href);
}
