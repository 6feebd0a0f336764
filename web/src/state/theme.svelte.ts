import { flushSync } from 'svelte';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'auscult.theme';
const deviceDark = matchMedia('(prefers-color-scheme: dark)');
const print = matchMedia('print');

/** Light, dark, or as on the device; print is light. Plots redraw when `dark` changes. */
class ThemeState {
  choice = $state<Theme>(storedTheme());
  #deviceDark = $state(deviceDark.matches);
  #printing = $state(print.matches);
  readonly dark: boolean = $derived(
    !this.#printing && (this.choice === 'auto' ? this.#deviceDark : this.choice === 'dark'),
  );

  constructor() {
    deviceDark.addEventListener('change', (change) => {
      this.#deviceDark = change.matches;
    });
    print.addEventListener('change', (change) => {
      this.#printing = change.matches;
      flushSync(); // redraw the plots before the browser lays out the print
    });
    document.documentElement.dataset.theme = this.choice;
  }

  choose(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(STORED, theme);
    this.choice = theme;
  }
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? 'auto';
}

export const theme = new ThemeState();
