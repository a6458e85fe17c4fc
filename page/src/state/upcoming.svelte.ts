// The next switch of each GPU, from the plan of the run under way: the first step yet to come that was planned there and
// needs a model that is not held. What should have begun already went elsewhere, or is late: nobody knows when it comes.
// Used where the service itself does not say.
import type { Gpu, NextSwitch, RunTimeline } from '../lib/types';
import { live } from './live.svelte';
import { api } from './session.svelte';

const most = 10_000;
const every = 4;

class Upcoming {
  private plan = $state.raw<RunTimeline | null>(null);
  private run: number | null = null;
  private lookedAt = 0;

  follow(run: number | null, looks: number): void {
    if (run !== this.run) [this.run, this.plan, this.lookedAt] = [run, null, -every];
    if (run === null || looks - this.lookedAt < every) return;
    this.lookedAt = looks;
    void api.get<RunTimeline>(`/api/v1/runs/${run}/timeline?limit=${most}`).then(
      (plan) => run === this.run && (this.plan = plan),
      () => undefined,
    );
  }

  of(gpu: Gpu, now: number): NextSwitch | null {
    const run = live.runs.find((one) => one.id === this.run);
    const zero = run?.started ? Date.parse(run.started) / 1000 : null;
    if (!this.plan || zero === null) return null;
    let first: { model: string; at: number; why: string } | null = null;
    for (const job of this.plan.jobs) {
      const at = job.plan;
      if (!at || job.actual || gpu.id < at.gpu || gpu.id >= at.gpu + at.gpus) continue;
      if (zero + at.start_s - at.load_s < now - 1) continue;
      if (gpu.models?.includes(job.model) || (first && first.at <= at.start_s - at.load_s)) continue;
      first = { model: job.model, at: at.start_s - at.load_s, why: `planned for ${job.request} / ${job.node}` };
    }
    return first && { model: first.model, in_s: Math.max(0, zero + first.at - now), why: first.why };
  }
}

export const upcoming = new Upcoming();
