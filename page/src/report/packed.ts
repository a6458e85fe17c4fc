// A plan as the reports carry it: tables of names and one string of packed times, some ten bytes a step, so that a
// million steps are a file of 10 to 15 MB. The form is described in src/output/packed.h. Pure.
import { type Bar, barsOf, countWhile } from '../gantt/bars';
import type { Lane } from '../gantt/scene';

export interface Packed {
  makespan: number;
  tick: number;
  nodes: string[];
  /** [workflow, how many, name, number of the first or null]. */
  requests: [number, number, string, number | null][];
  models: { name: string; gpus: number; fill: string; ink: string }[];
  /** [kind, node, model held at the start or null, name of the lane where it is not the GPU's]. */
  gpus: [string, number, number | null, string?][];
  /** Steps as [name, model, needs]. */
  workflows: [string, number, number[]][][];
  times: string;
}

export interface Step {
  readonly request: string;
  readonly name: string;
  readonly needs: readonly number[];
}

export interface Plan {
  readonly makespan: number;
  readonly tick: number;
  readonly nodes: readonly string[];
  readonly models: Packed['models'];
  readonly gpus: Packed['gpus'];
  readonly lanes: readonly Lane[];
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** −1 where the step found its model held. */
  readonly load: Float64Array;
  readonly loadEnd: Float64Array;
  readonly firstGpu: Int32Array;
  readonly modelOf: Uint32Array;
  /** Steps of a lane in order of time. */
  readonly jobsOn: readonly (readonly number[])[];
  step(job: number): Step;
}

/** Numbers of seven bits a byte, low bits first. */
function numbersIn(base64: string): () => number {
  const text = atob(base64);
  let at = 0;
  return () => {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = text.charCodeAt(at++);
      value += (byte & 127) * place;
      if (!(byte >= 128)) return value;
    }
  };
}

export function unpack(packed: Packed): Plan {
  const { groups, count, modelOf } = groupsOf(packed);
  const start = new Float64Array(count), end = new Float64Array(count), loadEnd = new Float64Array(count);
  const load = new Float64Array(count).fill(-1), firstGpu = new Int32Array(count);
  const jobsOn: number[][] = packed.gpus.map(() => []);
  const next = numbersIn(packed.times);
  let job = 0;
  for (let gpu = 0; gpu < packed.gpus.length; ++gpu) {
    let ticks = 0;
    for (let left = next(); left > 0; --left) {
      const folded = next(), gap = next();
      job += folded % 2 ? -(folded + 1) / 2 : folded / 2;
      ticks += Math.floor(gap / 2);
      if (gap % 2) {
        load[job] = ticks * packed.tick;
        loadEnd[job] = (ticks += next()) * packed.tick;
        ticks += next();
      }
      start[job] = ticks * packed.tick;
      end[job] = (ticks += next()) * packed.tick;
      firstGpu[job] = gpu;
      for (let i = 0; i < packed.models[modelOf[job]!]!.gpus; ++i) jobsOn[gpu + i]?.push(job);
    }
  }
  for (const jobs of jobsOn) jobs.sort((a, b) => start[a]! - start[b]! || end[a]! - end[b]! || a - b);
  const lanes = jobsOn.map((jobs, gpu): Lane => {
    const name = packed.gpus[gpu]![3];
    const bars: Bar[] = [];
    for (const ref of jobs) {
      const model = modelOf[ref]!;
      if (load[ref]! >= 0) bars.push({ start: load[ref]!, end: loadEnd[ref]!, model, isSwitch: true, ref });
      bars.push({ start: start[ref]!, end: end[ref]!, model, isSwitch: false, ref });
    }
    return { name: name ?? `gpu${gpu}`, isPlan: name?.trim() === 'plan', bars: barsOf(bars) };
  });
  const step = (of: number): Step => {
    const group = groups[countWhile(groups.length, (i) => groups[i]!.first <= of) - 1]!;
    const inside = of - group.first, size = group.steps.length, request = Math.floor(inside / size);
    const [name, , needs] = group.steps[inside % size]!;
    return { name, request: group.name + (group.number === null ? '' : group.number + request), needs: needs.map((need) => group.first + request * size + need) };
  };
  const { makespan, tick, nodes, models, gpus } = packed;
  return { makespan, tick, nodes, models, gpus, lanes, start, end, load, loadEnd, firstGpu, modelOf, jobsOn, step };
}

interface Group {
  first: number;
  steps: Packed['workflows'][number];
  name: string;
  number: number | null;
}

function groupsOf(packed: Packed): { groups: Group[]; count: number; modelOf: Uint32Array } {
  const count = packed.requests.reduce((sum, [workflow, many]) => sum + many * packed.workflows[workflow]!.length, 0);
  const modelOf = new Uint32Array(count);
  const groups: Group[] = [];
  let job = 0;
  for (const [workflow, many, name, number] of packed.requests) {
    const steps = packed.workflows[workflow]!;
    groups.push({ first: job, steps, name, number });
    for (let i = 0; i < many; ++i) for (const step of steps) modelOf[job++] = step[1];
  }
  return { groups, count, modelOf };
}
