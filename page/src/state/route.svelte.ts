// Where the reader is. The address is the truth; views change it and are told.
import { parse, print, type Route } from '../lib/route';

class Where {
  now = $state.raw<Route>(parse(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.now = parse(location.hash)));
  }

  go(view: string, id?: string | number | null, query: Record<string, string | number | null | undefined> = {}): void {
    location.hash = print(view, id, query);
  }

  /** Another query of the same view, without a step in the browser's history. */
  ask(change: Record<string, string | number | null | undefined>): void {
    const { view, id, query } = this.now;
    const hash = print(view, id, { ...query, ...change });
    if (hash === location.hash) return;
    history.replaceState(null, '', hash);
    this.now = parse(hash);
  }
}

export const where = new Where();
