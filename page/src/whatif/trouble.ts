// Where a trace breaks a rule, with the line itself: "jobs.csv:3:7: gpus is 'x', …" names a place. Pure.

export interface Trouble {
  readonly says: string;
  readonly line?: number;
  readonly column?: number;
  /** The line it is about, and spaces up to the place. */
  readonly row?: string;
  readonly before?: string;
}

const widest = 160;

export function troubleIn(message: string, text: string): Trouble {
  const [, line, column, says] = /:(\d+):(\d+): ([\s\S]*)$/.exec(message) ?? [];
  if (!says) return { says: message };
  const [l, c] = [Number(line), Number(column)];
  const row = text.split(/\r\n|\n|\r/, l)[l - 1];
  if (row === undefined) return { says, line: l, column: c };
  const from = Math.max(0, c - widest / 2);
  return { says, line: l, column: c, row: row.slice(from, from + widest), before: ' '.repeat(Math.max(0, c - 1 - from)) };
}
