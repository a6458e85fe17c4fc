// Day or night: as the system says, unless the reader has said otherwise.

export type Choice = 'auto' | 'light' | 'dark';
const key = 'switchyard.theme';

class Theme {
  choice = $state<Choice>((localStorage.getItem(key) as Choice | null) ?? 'auto');
  /** Grows whenever the inks change, for what is drawn on a canvas. */
  turns = $state(0);

  constructor() {
    this.apply();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => ++this.turns);
  }

  choose(choice: Choice): void {
    this.choice = choice;
    localStorage.setItem(key, choice);
    this.apply();
  }
  next(): void {
    const dark = this.choice === 'dark' || (this.choice === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
    this.choose(dark ? 'light' : 'dark');
  }
  private apply(): void {
    if (this.choice === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
    ++this.turns;
  }
}

export const theme = new Theme();
