// What a report says of a bar: which step it is, how its model came to be there and what it waited for. Pure.
import type { Mark, Tip } from '../gantt/scene';
import { duration } from '../lib/format';
import type { Plan } from './packed';

export interface Tellers {
  word(job: number): string;
  tip(job: number, lane: number, isSwitch: boolean): Tip;
  needs(job: number): Mark[];
}

export function tellers(plan: Plan): Tellers {
  const { start, end, load, loadEnd, firstGpu, modelOf } = plan;
  const wideOf = (job: number) => plan.models[modelOf[job]!]!.gpus;
  const gpuName = (gpu: number, count = 1) => plan.gpus[gpu]?.[3]?.trim() || `gpu${gpu}${count > 1 ? `–${gpu + count - 1}` : ''}`;
  const near = (a: number, b: number) => Math.abs(a - b) < plan.tick / 2;
  const taken = (job: number) => (load[job]! >= 0 ? load[job]! : start[job]!);

  /** The step before it on this lane, or −1. */
  function before(job: number, lane: number): number {
    const jobs = plan.jobsOn[lane]!;
    let low = 0, high = jobs.length;
    while (low < high) {
      const middle = (low + high) >> 1, other = jobs[middle]!;
      if (start[other]! - start[job]! || end[other]! - end[job]! || other - job) {
        if ((start[other]! - start[job]! || end[other]! - end[job]! || other - job) < 0) low = middle + 1;
        else high = middle;
      } else return middle > 0 ? jobs[middle - 1]! : -1;
    }
    return low > 0 ? jobs[low - 1]! : -1;
  }

  function howHeld(job: number, lane: number): string {
    if (load[job]! < 0) return 'model was held';
    const last = before(job, lane), from = last >= 0 ? modelOf[last]! : (plan.gpus[lane]?.[2] ?? null);
    const lasted = duration(loadEnd[job]! - load[job]!);
    if (from === null) return `loaded onto an empty GPU, ${lasted}`;
    return from === modelOf[job] ? `loaded again for this group of GPUs, ${lasted}` : `switched from ${plan.models[from]!.name}, ${lasted}`;
  }

  function whatFor(job: number): string {
    const needs = plan.step(job).needs, latest = needs.reduce((a, b) => (a < 0 || end[b]! > end[a]! ? b : a), -1);
    const ready = latest < 0 ? 0 : end[latest]!;
    let free = 0;
    for (let gpu = firstGpu[job]!; gpu < firstGpu[job]! + wideOf(job); ++gpu) {
      const last = before(job, gpu);
      if (last >= 0) free = Math.max(free, end[last]!);
    }
    const place = wideOf(job) > 1 ? 'GPUs' : 'GPU';
    if (latest >= 0 && (near(ready, start[job]!) || (near(ready, taken(job)) && ready > free)))
      return `waited for ${plan.step(latest).name} on ${gpuName(firstGpu[latest]!, wideOf(latest))}`;
    if (load[job]! >= 0 && near(start[job]!, loadEnd[job]!) && near(load[job]!, free))
      return ready < start[job]! ? `ready at ${duration(ready)}, waited for its ${place} and the switch` : 'starts when loaded';
    if (near(start[job]!, 0)) return 'starts at once';
    if (near(free, start[job]!)) return `ready at ${duration(ready)}, waited ${duration(start[job]! - ready)} for its ${place}`;
    return `could start at ${duration(Math.max(free, ready))}; the plan has it start later`;
  }

  return {
    word: (job) => {
      const { request, name } = plan.step(job);
      return `${request} / ${name}`;
    },
    tip: (job, lane, isSwitch) => {
      const { request, name } = plan.step(job), model = plan.models[modelOf[job]!]!;
      const lines = [`request ${request}, node ${name}`];
      if (load[job]! >= 0) lines.push(`loads ${duration(load[job]!)} – ${duration(loadEnd[job]!)}`);
      lines.push(`runs ${duration(start[job]!)} – ${duration(end[job]!)} (${duration(end[job]! - start[job]!)})`);
      const [kind, node] = plan.gpus[lane]!;
      lines.push(`${gpuName(firstGpu[job]!, model.gpus)}, ${kind} on ${plan.nodes[node] ?? ''}`);
      return { title: `${isSwitch ? 'loading ' : ''}${model.name}`, lines, why: [howHeld(job, lane), whatFor(job)] };
    },
    needs: (job) => plan.step(job).needs.map((need) => ({ lane: firstGpu[need]!, start: start[need]!, end: end[need]! })),
  };
}
