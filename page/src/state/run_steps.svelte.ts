// The steps of one run, as its view shows them: read anew where something changed, and of those only what may have.
import { mostSteps, pageOf, RunPages } from '../lib/run_pages';
import type { Job, Run, RunTimeline, Workflow } from '../lib/types';
import { api } from './session.svelte';

export class RunSteps {
  timeline = $state.raw<RunTimeline | null>(null);
  workflows = $state.raw<Workflow[] | undefined>(undefined);
  trouble = $state('');
  private readonly pages = new RunPages();
  private seen = '';
  private busy = false;
  private notBefore = 0;

  async look(run: Run): Promise<void> {
    const stamp = stampOf(run);
    if (this.busy || (stamp === this.seen && this.isUpToDate(run)) || performance.now() < this.notBefore) return;
    this.busy = true;
    try {
      const shown = api.get<Run & { workflows?: Workflow[] }>(`/api/v1/runs/${run.id}`);
      let last: RunTimeline | null = null;
      for (const from of this.pages.wanted(run.jobs)) {
        last = await api.get<RunTimeline>(`/api/v1/runs/${run.id}/timeline?limit=${pageOf}&from=${from}`);
        this.pages.take(from, last.jobs, run.ended !== undefined);
      }
      this.workflows = (await shown).workflows;
      const jobs: Job[] = this.pages.jobs();
      if (last) this.timeline = { ...last, jobs };
      [this.seen, this.trouble] = [stamp, ''];
      // Laying out a hundred thousand steps takes a moment: then not twice a second.
      this.notBefore = performance.now() + jobs.length / 20;
    } catch (failed) {
      this.trouble = failed instanceof Error ? failed.message : String(failed);
    } finally {
      this.busy = false;
    }
  }

  /** A small run is read whole at each look; of a large one, what was not read yet may have changed before. */
  private isUpToDate(run: Run): boolean {
    return run.ended !== undefined ? this.pages.isSettled(run.jobs) : run.jobs <= 5 * pageOf;
  }
}

/** The same: nothing has happened in the run. */
export function stampOf(run: Run): string {
  return JSON.stringify([run.state, run.ended, run.counts, run.replans]);
}

export function cutAt(run: Run): number | null {
  return run.jobs > mostSteps ? mostSteps : null;
}
