// What the service answers, as far as the page reads it.

export interface Overview {
  at: string;
  simulated: boolean;
  disk_full: boolean;
  queue: { paused: boolean; queued: number; held?: number; running: number; by_priority: Record<string, number> };
  ended: Record<'succeeded' | 'failed' | 'timed_out' | 'lost' | 'cancelled', number>;
  running: Running[];
}

export interface Running {
  id: number;
  name: string;
  command: string[];
  model?: string | null;
  priority: string;
  attempt: number;
  gpus: number;
  first_gpu: number;
  stopping: boolean;
  seconds?: number;
}

export interface Gpu {
  id: number;
  name?: string;
  kind?: string;
  /** The machine it is in, where that is not the service's own. */
  host?: string;
  simulated: boolean;
  memory_mb: number;
  state: string;
  task: number | null;
  models?: string[];
  memory_total_mb?: number;
  memory_used_mb?: number;
  utilization_percent?: number | null;
  temperature_c?: number | null;
  power_w?: number | null;
  error?: string;
  /** Calls that stand behind the one under way. */
  handed_ahead?: number[];
  next: NextSwitch | null;
}

export interface NextSwitch {
  model: string;
  in_s: number;
  by: 'plan' | 'forecast';
  why: string;
}

export interface Attempt {
  number: number;
  gpus: number[];
  started: string | null;
  ended: string | null;
  exit_code?: number | null;
  signal?: number | null;
  limit?: string;
  cpu_s?: number;
  peak_memory_bytes?: number;
  gpu_peak_memory_bytes?: number;
  out_bytes?: number;
  err_bytes?: number;
  error?: string;
  err_tail?: string;
  load_s?: number;
  wake_s?: number;
  note?: string;
}

export interface Task {
  id: number;
  name: string;
  user: string;
  state: string;
  command: string[];
  model: string | null;
  priority: string;
  gpus: number;
  kind?: string;
  memory_mb: number;
  retries: number;
  timeout_s: number;
  submitted: string;
  ended: string | null;
  attempts: Attempt[];
  output?: unknown;
  position?: number;
  on?: number;
  after?: number[];
  after_any?: number[];
  requeued_as?: number;
  in_place_of?: number;
}

/** A row of GET /api/v1/queue/tasks. */
export interface Waiting {
  id: number;
  name: string;
  user: string;
  model: string | null;
  command: string[];
  priority: string;
  state: string;
  position: number | null;
  reason: string;
  expected_start_s: number | null;
  /** Then or sooner: nobody knows when some of those before it end. */
  expected_start_is_bound?: boolean;
  submitted: string;
  gpus: number;
}

export interface QueuePage {
  tasks: Waiting[];
  next: string | null;
  looked_at: number;
  queued: number;
  held: number;
  running: number;
  paused: boolean;
  expected_by: string;
}

export interface Explained {
  id: number;
  state: string;
  waits: boolean;
  reason?: string;
  position?: number;
  behind?: number | null;
  gpus?: Record<string, number>;
}

export interface Run {
  id: number;
  name: string;
  user: string;
  state: string;
  created: string;
  started?: string;
  ended?: string;
  requests: number;
  jobs: number;
  plan?: { makespan_s: number; lower_bound_s: number; gap: number; planning_s: number; switches: number };
  counts?: Record<'done' | 'running' | 'ready' | 'waiting' | 'failed' | 'skipped', number>;
  switches?: number;
  steals?: number;
  replans?: number;
  gpus_taken?: number;
  elapsed_s?: number;
  expected_s?: number;
  error?: string;
}

export interface Workflow {
  name: string;
  requests: number;
  steps: { name: string; model: string; needs: string[]; seconds: number; counts?: Record<string, number> }[];
}

export interface Span {
  gpu: number;
  gpus: number;
  load_s: number;
  start_s: number;
  end_s: number;
  state?: string;
}

export interface Job {
  request: string;
  node: string;
  model: string;
  plan?: Span;
  /** While its last attempt lasts; then `actual`. */
  running?: { gpu: number; gpus: number; start_s: number };
  actual?: Span;
}

export interface RunTimeline {
  jobs: Job[];
  loads: { model: string; gpu: number; start_s: number; end_s: number; load_s: number }[];
  gpus: number;
}

export interface StepResult {
  state: string;
  task?: number;
  output?: unknown;
  error?: string;
}

export interface RequestResult {
  id: string;
  workflow: string;
  state: string;
  output: unknown;
  steps: Record<string, StepResult>;
}

export interface Model {
  name: string;
  aliases: string[];
  runner: string;
  when_unused: string;
  memory_mb: number;
  pinned: boolean;
  gpus: number[];
  asleep: number[];
  loads: number;
  load_p50_s: number | null;
  load_p95_s: number | null;
  wakes: number;
  wake_p50_s: number | null;
  /** Since the service started; `hits` found the model loaded. */
  calls: number;
  hits: number;
}

export interface PipelineSummary {
  name: string;
  model: string;
  layers: number;
  servable: boolean;
  why_not?: string;
  node_count: number;
  running: number;
  waiting: number;
  tokens_per_s: number;
  forecast_tokens_per_s: number;
}

export interface PipelineNode {
  id: string;
  state: string;
  holds: [number, number];
  wanted?: [number, number];
  requests: number;
  most_requests: number;
  heard_s_ago: number;
  ms_per_layer?: number;
}

export interface Pipeline extends PipelineSummary {
  counts: Record<string, number>;
  nodes: PipelineNode[];
  pipelines: { stages: { node: string; first: number; end: number }[]; expected_ms: number }[];
}

export type Settings = Record<string, { value: unknown; origin: string }>;

export const ended = new Set(['succeeded', 'failed', 'timed_out', 'lost', 'cancelled']);
export const levels = ['CRITICAL', 'HIGH', 'NORMAL', 'LOW'] as const;
