// What POST /api/v1/simulate answers, and what the report of `simulate` carries: src/output/study_json.h.

export interface Spells {
  job: number[];
  lane: number[];
  lanes: number[];
  start_s: number[];
  end_s: number[];
  /** From here on there are more than are told. */
  until_s?: number;
}

export interface Tried {
  order: string;
  fit?: string;
  in_force?: boolean;
  jobs: number;
  mean_wait_s: number;
  mean_jct_s: number;
  p50_jct_s: number;
  p99_jct_s: number;
  makespan_s: number;
  utilization: number;
  preemptions: number;
  fairness: number;
  with_deadline: number;
  late: number;
  lower_bound_mean_jct_s: number;
  course: { step_s: number; busy: number[]; waiting: number[] };
  /** Evenly spaced quantiles, least and largest included. */
  completion_s: number[];
  spells: Spells;
}

export interface Jobs {
  grouped_by: string;
  groups: string[];
  id: string[];
  /** Index of the group; −1: none. */
  group: number[];
  user: string[];
  submit_s: number[];
  gpus: number[];
}

export interface Simulated {
  source: { live: boolean; name: string; jobs: number; running: number };
  cluster: { nodes: number; gpus: number; own: boolean; lanes: string[] };
  notes: string[];
  orders: Tried[];
  jobs: Jobs;
  seconds: number;
}
