// Figures as people read them. Pure; times are in seconds, sizes in megabytes of a million bytes.

/** "1h 4m", "12.3s", "850ms": two units at most, so that a column stays narrow. */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null || !Number.isFinite(seconds)) return '–';
  const sign = seconds < 0 ? '−' : '';
  const s = Math.abs(seconds);
  if (s < 0.0005) return '0s';
  if (s < 0.9995) return `${sign}${Math.round(s * 1000)}ms`;
  if (s < 9.995) return `${sign}${s.toFixed(2)}s`;
  if (s < 59.95) return `${sign}${s.toFixed(1)}s`;
  const whole = Math.round(s);
  if (whole < 3600) return sign + pair(Math.floor(whole / 60), 'm', whole % 60, 's');
  if (whole < 86400) return sign + pair(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'm');
  return sign + pair(Math.floor(whole / 86400), 'd', Math.floor((whole % 86400) / 3600), 'h');
}

function pair(a: number, unitA: string, b: number, unitB: string): string {
  return b === 0 ? `${a}${unitA}` : `${a}${unitA} ${b}${unitB}`;
}

/** For what is only expected: no fractions. */
export function roughly(seconds: number): string {
  return seconds < 60 ? `${Math.round(seconds)}s` : duration(seconds);
}

export function count(n: number | null | undefined): string {
  if (n == null) return '–';
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** Gigabytes with one digit where it matters. */
export function size(megabytes: number | null | undefined): string {
  if (megabytes == null) return '–';
  if (megabytes === 0) return '0 GB';
  if (megabytes < 1) return `${Math.round(megabytes * 1000)} kB`;
  if (megabytes < 1000) return `${Math.round(megabytes)} MB`;
  const gigabytes = megabytes / 1000;
  return `${gigabytes < 100 ? trimmed(gigabytes) : Math.round(gigabytes)} GB`;
}

export function bytes(n: number | null | undefined): string {
  return n == null ? '–' : n < 1000 ? `${n} B` : size(n / 1e6);
}

function trimmed(n: number): string {
  return n.toFixed(1).replace(/\.0$/, '');
}

export function percent(share: number | null | undefined, digits = 0): string {
  return share == null || !Number.isFinite(share) ? '–' : `${(100 * share).toFixed(digits)} %`;
}

/** A mark of time on an axis whose marks are `step` apart. */
export function elapsed(seconds: number, step: number): string {
  if (step >= 1 && seconds < 60) return `${Math.round(seconds)}s`;
  if (seconds < 1 || step >= 1) return duration(seconds);
  return `${seconds.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)))}s`;
}

/** "14:05:09" in the reader's own zone. */
export function clock(unixSeconds: number): string {
  const d = new Date(unixSeconds * 1000);
  return [d.getHours(), d.getMinutes(), d.getSeconds()].map(two).join(':');
}

/** With the day where it is not today's. */
export function moment(unixSeconds: number | null, now: number): string {
  if (unixSeconds == null) return '–';
  const d = new Date(unixSeconds * 1000);
  const same = d.toDateString() === new Date(now * 1000).toDateString();
  return same ? clock(unixSeconds) : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock(unixSeconds).slice(0, 5)}`;
}

export function ago(unixSeconds: number | null, now: number): string {
  return unixSeconds == null ? '–' : now - unixSeconds < 1 ? 'now' : `${duration(Math.floor(now - unixSeconds))} ago`.replace(/\.\d+s/, 's');
}

/** Of what the service writes: "2026-01-31T14:05:09.123Z". */
export function unix(text: string | null | undefined): number | null {
  if (!text) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at / 1000;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

/** What a command line was, in one line. */
export function commandText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ');
}
