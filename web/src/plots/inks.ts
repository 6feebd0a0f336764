/** The colours of the theme for a canvas. */
export interface Inks {
  ink: string;
  quiet: string;
  line: string;
  grid: string;
  wash: string;
  alarm: string;
  warning: string;
  unknown: string;
  surface: string;
  /** The second curve of a comparison, dashed. */
  compared: string;
  font: string;
}

/** Reads the design tokens at `element`. */
export function inks(element: HTMLElement): Inks {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const colour = (token: string): string => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const read: Inks = {
    ink: colour('ink'),
    quiet: colour('ink-3'),
    line: colour('ink-2'),
    grid: colour('line'),
    wash: colour('sunken'),
    alarm: colour('alarm'),
    warning: colour('warning'),
    unknown: colour('unknown'),
    surface: colour('surface'),
    compared: colour('accent'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
  };
  probe.remove();
  return read;
}

/** A colour with another opacity, for areas behind lines. */
export function faded(colour: string, opacity: number): string {
  return colour.replace(/^rgba?\(([^)]+)\)$/, (_, parts: string) => {
    const [r, g, b] = parts.split(/[ ,/]+/);
    return `rgba(${r ?? '0'}, ${g ?? '0'}, ${b ?? '0'}, ${String(opacity)})`;
  });
}
