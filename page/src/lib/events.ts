// What the stream of events has told, as state: the latest lines for people, and whether something is missing. Pure.
import { unix } from './format';
import type { Message } from './sse';

export interface Line {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly what: string;
  readonly task: number | null;
  readonly gpus: readonly number[];
  readonly text: string;
  readonly mood: 'plain' | 'good' | 'bad' | 'warn';
}

export interface Heard {
  /** Latest first. */
  readonly lines: readonly Line[];
  /** How often everything had to be looked at anew. */
  readonly gaps: number;
}

export const nothing: Heard = { lines: [], gaps: 0 };

export const kept = 400;

/** All of one batch at once: a thousand events a second cost a few copies, not a thousand. */
export function hear(before: Heard, messages: readonly Message[]): Heard {
  if (messages.length === 0) return before;
  const fresh: Line[] = [];
  const known = new Set(before.lines.map((line) => line.id));
  let gaps = before.gaps;
  for (const message of messages) {
    if (message.event === 'gap') ++gaps;
    const line = lineOf(message);
    if (!line || known.has(line.id)) continue;
    known.add(line.id);
    fresh.push(line);
  }
  const lines = fresh.length > 0 ? [...fresh.reverse(), ...before.lines].slice(0, kept) : before.lines;
  return { lines, gaps };
}

interface Told {
  task?: number;
  gpu?: number;
  gpus?: number[];
  what?: string;
  state?: string;
  cause?: string;
  attempt?: number;
  at?: string;
  message?: string;
}

export function lineOf(message: Message): Line | null {
  if (message.event === 'hello' || message.event === 'gap') return null;
  let told: Told;
  try {
    told = JSON.parse(message.data) as Told;
  } catch {
    return null;
  }
  const what = told.what ?? '';
  return {
    id: message.id,
    at: unix(told.at) ?? 0,
    kind: message.event,
    what,
    task: told.task ?? null,
    gpus: told.gpus ?? (told.gpu != null ? [told.gpu] : []),
    text: textOf(message.event, told),
    mood: moodOf(message.event, what, told.state ?? ''),
  };
}

function textOf(kind: string, told: Told): string {
  const cause = told.cause ? `: ${told.cause}` : '';
  if (kind === 'worker') return told.what === 'lost' ? `worker of gpu${told.gpu} lost` : `worker of gpu${told.gpu} is back`;
  if (kind === 'queue') return `queue ${told.what}`;
  if (kind === 'disk') return told.message ?? `disk ${told.what}`;
  if (kind !== 'task') return `${kind} ${told.what ?? ''}`.trim();
  if (told.what === 'started') return `started on ${gpuNames(told.gpus ?? [])}${(told.attempt ?? 1) > 1 ? `, attempt ${told.attempt}` : ''}`;
  if (told.what === 'ended') return `${(told.state ?? 'ended').replace('_', ' ')}${cause}`;
  return `${told.what ?? ''}${cause}`;
}

function moodOf(kind: string, what: string, state: string): Line['mood'] {
  if (kind === 'worker') return what === 'lost' ? 'bad' : 'good';
  if (kind === 'disk') return what === 'full' ? 'bad' : 'good';
  if (kind === 'queue') return what === 'paused' ? 'warn' : 'good';
  if (what === 'ended') return state === 'succeeded' ? 'good' : state === 'cancelled' ? 'warn' : 'bad';
  return what === 'void' || what === 'requeued' || what.startsWith('preempt') ? 'warn' : 'plain';
}

/** "gpu3", "gpu2–3", "gpu0, gpu5". */
export function gpuNames(gpus: readonly number[]): string {
  if (gpus.length === 0) return 'no GPU';
  const first = gpus[0]!, last = gpus[gpus.length - 1]!;
  if (gpus.length === 1) return `gpu${first}`;
  return last - first === gpus.length - 1 ? `gpu${first}–${last}` : gpus.map((gpu) => `gpu${gpu}`).join(', ');
}
