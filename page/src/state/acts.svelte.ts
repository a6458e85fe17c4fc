// What the reader does to the service: one thing at a time, with a word about how it went, and a question first where
// it cannot be undone.
import { live } from './live.svelte';

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
}

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly answer: (yes: boolean) => void;
}

class Acts {
  notes = $state.raw<Note[]>([]);
  question = $state.raw<Question | null>(null);
  private next = 1;

  say(text: string, bad = false): void {
    const note = { id: this.next++, text, bad };
    this.notes = [...this.notes.slice(-3), note];
    setTimeout(() => (this.notes = this.notes.filter((n) => n !== note)), bad ? 8000 : 3500);
  }

  async run(what: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      this.say(what);
      live.afterAct();
      return true;
    } catch (trouble) {
      this.say(trouble instanceof Error ? trouble.message : String(trouble), true);
      return false;
    }
  }

  ask(title: string, text: string, yes: string): Promise<boolean> {
    return new Promise((answer) => {
      this.question = { title, text, yes, answer: (said) => ((this.question = null), answer(said)) };
    });
  }
}

export const acts = new Acts();
