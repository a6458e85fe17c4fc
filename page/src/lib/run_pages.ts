// The steps of a run, read page by page: a run may have a hundred thousand, and its service tells them by place alone. A
// page whose steps have all succeeded is read no more; of the others, each look reads some in turn. Pure.
import type { Job } from './types';

export const pageOf = 2_000;
const pagesAtOnce = 5;
/** What one page can draw; the view says so where a run has more. */
export const mostSteps = 100_000;

export class RunPages {
  private readonly pages: { jobs: readonly Job[]; settled: boolean }[] = [];
  private turn = 0;

  /** Where pages begin that are to be read now; of a run seen for the first time: all. */
  wanted(steps: number): number[] {
    const count = Math.ceil(Math.min(steps, mostSteps) / pageOf);
    const unread = range(this.pages.length, count);
    if (unread.length > 0) return unread.map((page) => page * pageOf);
    const open = range(0, count).filter((page) => !this.pages[page]!.settled);
    if (open.length === 0) return [];
    const first = Math.max(0, open.findIndex((page) => page >= this.turn));
    const chosen = [...open.slice(first), ...open.slice(0, first)].slice(0, pagesAtOnce);
    this.turn = chosen[chosen.length - 1]! + 1;
    return chosen.map((page) => page * pageOf);
  }

  /** `isLast`: the run was over, nothing changes any more. */
  take(from: number, jobs: readonly Job[], isLast: boolean): void {
    this.pages[from / pageOf] = { jobs, settled: isLast || (jobs.length > 0 && jobs.every((job) => job.actual?.state === 'succeeded')) };
  }
  jobs(): Job[] {
    return this.pages.flatMap((page) => page.jobs);
  }
  isSettled(steps: number): boolean {
    return this.pages.length * pageOf >= Math.min(steps, mostSteps) && this.pages.every((page) => page.settled);
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
