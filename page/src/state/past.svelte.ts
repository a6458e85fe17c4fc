// What ran where, for the timeline: the latest attempts, kept up to date with the events. Where the service has a route
// for it one document says everything; otherwise the latest tasks are read, and those that changed are read again.
import type { Spell } from '../lib/lanes';
import { plannedOf, type Planned } from '../lib/lanes';
import { commandText, unix } from '../lib/format';
import { ended, type Run, type RunTimeline, type Task } from '../lib/types';
import { api } from './session.svelte';

const page = 1000;
const pages = 5;
const mostPlanned = 100_000;
const mostRunsShown = 3;

interface Row {
  /** What has changed since is told when it is sent back. */
  cursor: string;
  models: string[];
  zero: string;
  rows: [task: number, attempt: number, gpu: number, gpus: number, model: number, load: number, start: number, end: number | null, state: string, name: string][];
}

class Past {
  spells = $state.raw<readonly Spell[]>([]);
  planned = $state.raw<readonly Planned[]>([]);
  ready = $state(false);
  private readonly tasks = new Map<number, Task>();
  private readonly plans = new Map<number, { done: boolean; planned: Planned[] }>();
  private readonly rows = new Map<string, Spell>();
  private readonly touched = new Set<number>();
  private cursor = '';
  private notBefore = 0;
  private busy = false;

  /** Brings everything up to date; `touched` are tasks that changed. */
  async look(touched: ReadonlySet<number>, runs: readonly Run[]): Promise<void> {
    // Laying out a hundred thousand bars takes a moment: then not twice a second.
    if (this.busy || performance.now() < this.notBefore) return;
    this.busy = true;
    for (const task of touched) this.touched.add(task);
    try {
      const changed = new Set(this.touched);
      this.touched.clear();
      await Promise.all([this.lookAtTasks(changed), this.lookAtPlans(runs)]);
      this.ready = true;
    } catch {
      // The service is away; the next look finds it.
    } finally {
      this.busy = false;
      this.notBefore = performance.now() + (this.spells.length + this.planned.length) / 20;
    }
  }

  private async lookAtTasks(touched: ReadonlySet<number>): Promise<void> {
    if (api.has('get', '/api/v1/timeline')) {
      const told = await api.get<Row>(`/api/v1/timeline?limit=100000${this.cursor ? `&after=${encodeURIComponent(this.cursor)}` : ''}`);
      this.cursor = told.cursor;
      for (const spell of spellsOf(told)) this.rows.set(`${spell.task}.${spell.attempt}`, spell);
      if (told.rows.length > 0) this.spells = [...this.rows.values()];
      return;
    }
    if (this.ready && touched.size === 0) return;
    let before = '';
    let known = false;
    for (let n = 0; n < pages && !known; ++n) {
      const { tasks } = await api.get<{ tasks: Task[] }>(`/api/v1/tasks?limit=${this.ready ? 300 : page}${before}`);
      for (const task of tasks) {
        known ||= this.tasks.has(task.id);
        this.tasks.set(task.id, task);
      }
      if (tasks.length < (this.ready ? 300 : page)) break;
      before = `&before=${tasks[tasks.length - 1]!.id}`;
    }
    await this.readAgain(touched);
    this.spells = [...this.tasks.values()].flatMap(attemptsOf);
  }

  /** Tasks further back that were running when last seen. */
  private async readAgain(touched: ReadonlySet<number>): Promise<void> {
    const stale = [...this.tasks.values()].filter((task) => !ended.has(task.state) && touched.has(task.id)).slice(0, 40);
    for (const task of await Promise.all(stale.map((old) => api.get<Task>(`/api/v1/tasks/${old.id}`)))) this.tasks.set(task.id, task);
  }

  private async lookAtPlans(runs: readonly Run[]): Promise<void> {
    const wanted = runs.filter((run) => run.started).slice(0, mostRunsShown);
    let changed = false;
    for (const run of wanted) {
      if (this.plans.has(run.id)) continue;
      this.plans.set(run.id, { done: true, planned: await readPlan(run) });
      changed = true;
    }
    if (changed) this.planned = [...this.plans.values()].flatMap((one) => one.planned);
  }
}

export async function readTimeline(run: number, signal?: AbortSignal): Promise<RunTimeline> {
  const all: RunTimeline = { jobs: [], loads: [], gpus: 0 };
  for (let from = 0; from < mostPlanned; from += 10_000) {
    const part = await api.get<RunTimeline>(`/api/v1/runs/${run}/timeline?limit=10000&from=${from}`, signal);
    all.jobs.push(...part.jobs);
    all.loads = part.loads;
    all.gpus = part.gpus;
    if (part.jobs.length < 10_000) break;
  }
  return all;
}

async function readPlan(run: Run): Promise<Planned[]> {
  return plannedOf(run.id, run.name || `run ${run.id}`, unix(run.started) ?? 0, await readTimeline(run.id));
}

function attemptsOf(task: Task): Spell[] {
  return task.attempts.flatMap((attempt) => {
    const start = unix(attempt.started);
    if (start === null) return [];
    return [{
      task: task.id,
      attempt: attempt.number,
      name: task.name || (task.command.length > 0 ? commandText(task.command) : `#${task.id}`),
      model: task.model,
      state: attempt.ended ? (attempt.number === task.attempts.length ? task.state : 'void') : 'running',
      gpus: attempt.gpus,
      start,
      end: unix(attempt.ended),
      load: (attempt.load_s ?? 0) + (attempt.wake_s ?? 0),
      note: attempt.note ?? attempt.error ?? '',
    }];
  });
}

function spellsOf({ models, zero, rows }: Row): Spell[] {
  const from = unix(zero) ?? 0;
  return rows.map(([task, attempt, gpu, gpus, model, load, start, end, state, name]) => ({
    task, attempt, name: name || `#${task}`, model: models[model] ?? null, state, load, note: '',
    gpus: Array.from({ length: gpus }, (_, i) => gpu + i),
    start: from + start,
    end: end === null ? null : from + end,
  }));
}

export const past = new Past();
