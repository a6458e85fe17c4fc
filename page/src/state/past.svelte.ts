// What ran where, for the timeline: the service's own list of attempts, kept up to date by its cursor; above it the plans
// of the latest runs. Both hold so many and no more, however long the page is open.
import { type Planned, plannedOf, type Spell } from '../lib/lanes';
import { latestOf } from '../lib/latest';
import { mostSteps } from '../lib/run_pages';
import { needsIn } from '../lib/run_needs';
import { spellsOf, type Told } from '../lib/spells';
import { unix } from '../lib/format';
import type { Job, Run, Workflow } from '../lib/types';
import { api } from './session.svelte';

const firstRows = 10_000;
const olderRows = 20_000;
const mostRows = 100_000;
const mostRunsShown = 3;
const stepsAtOnce = 10_000;

interface Plan {
  readonly planned: readonly Planned[];
  readonly needs: () => (step: { request: string; node: string }) => Planned[];
}

class Past {
  spells = $state.raw<readonly Spell[]>([]);
  planned = $state.raw<readonly Planned[]>([]);
  ready = $state(false);
  /** The earliest that the service remembers, in unix seconds. */
  since = $state<number | null>(null);
  private readonly plans = new Map<number, Plan>();
  private rows = new Map<string, Spell>();
  private cursor = '';
  private earlier: string | null = null;
  private notBefore = 0;
  private busy = false;

  async look(runs: readonly Run[]): Promise<void> {
    // Laying out a hundred thousand bars takes a moment: then not twice a second.
    if (this.busy || performance.now() < this.notBefore) return;
    this.busy = true;
    try {
      await Promise.all([this.lookAtAttempts(), this.lookAtPlans(runs)]);
      this.ready = true;
    } catch {
      // The service is away; the next look finds it.
    } finally {
      this.busy = false;
      this.notBefore = performance.now() + (this.spells.length + this.planned.length) / 20;
    }
  }

  /** The steps of its run that a step needs. */
  needsOf(step: Planned): readonly Planned[] {
    return this.plans.get(step.run)?.needs()(step) ?? [];
  }

  private async lookAtAttempts(): Promise<void> {
    let changed = 0, more: boolean;
    do {
      const query = this.cursor ? `after=${this.cursor}&limit=${olderRows}` : `limit=${firstRows}`;
      const told = await api.get<Told>(`/api/v1/timeline?${query}`);
      if (told.reset) this.rows.clear();
      if (told.reset || !this.cursor) this.earlier = told.earlier;
      this.cursor = told.cursor;
      this.since = unix(told.reaches_back_to);
      changed += told.rows.length + Number(told.reset);
      this.take(told);
      more = told.more;
    } while (more);
    // The past comes page by page, behind what is looked at now.
    if (this.ready && this.earlier && this.rows.size < mostRows) {
      const told = await api.get<Told>(`/api/v1/timeline?before=${this.earlier}&limit=${olderRows}`);
      if (!told.reset) this.take(told);
      this.earlier = told.reset ? null : told.earlier;
      changed += told.rows.length;
    }
    if (changed === 0) return;
    this.rows = latestOf(this.rows, mostRows);
    this.spells = [...this.rows.values()];
  }

  private take(told: Told): void {
    for (const spell of spellsOf(told)) this.rows.set(`${spell.task}.${spell.attempt}`, spell);
  }

  private async lookAtPlans(runs: readonly Run[]): Promise<void> {
    const wanted = runs.filter((run) => run.started).slice(0, mostRunsShown);
    let changed = false;
    for (const id of [...this.plans.keys()]) if (!wanted.some((run) => run.id === id)) changed = this.plans.delete(id);
    for (const run of wanted) {
      if (this.plans.has(run.id)) continue;
      this.plans.set(run.id, await readPlan(run));
      changed = true;
    }
    if (changed) this.planned = wanted.flatMap((run) => this.plans.get(run.id)!.planned).slice(0, mostSteps);
  }
}

async function readPlan(run: Run): Promise<Plan> {
  const jobs: Job[] = [];
  const asked = api.get<{ workflows?: Workflow[] }>(`/api/v1/runs/${run.id}`);
  for (let from = 0; from < Math.min(run.jobs, mostSteps); from += stepsAtOnce)
    jobs.push(...(await api.get<{ jobs: Job[] }>(`/api/v1/runs/${run.id}/timeline?limit=${stepsAtOnce}&from=${from}`)).jobs);
  const planned = plannedOf(run.id, run.name || `run ${run.id}`, unix(run.started) ?? 0, { jobs });
  const { workflows = [] } = await asked;
  let needs: ReturnType<Plan['needs']> | null = null;
  return { planned, needs: () => (needs ??= needsIn(planned, workflows)) };
}

export const past = new Past();
