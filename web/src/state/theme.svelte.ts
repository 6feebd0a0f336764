export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'auscult.theme';
const deviceDark = matchMedia('(prefers-color-scheme: dark)');

/** Light, dark, or as the device; plots redraw when `dark` changes. */
class ThemeState {
  choice = $state<Theme>(storedTheme());
  #deviceDark = $state(deviceDark.matches);
  readonly dark: boolean = $derived(
    this.choice === 'auto' ? this.#deviceDark : this.choice === 'dark',
  );

  constructor() {
    deviceDark.addEventListener('change', (change) => {
      this.#deviceDark = change.matches;
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
