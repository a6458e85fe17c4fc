// Pace: when to do something again: soon where something happened, though never sooner than `soonest` after the last
// beginning; otherwise after `latest`; one at a time; not at all while it rests. Times in milliseconds.

export class Pace {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due = Infinity;
  private begun = -Infinity;
  private busy = false;
  private resting = true;

  constructor(private readonly act: () => Promise<void>, private readonly soonest: number, private readonly latest: number) {}

  start(): void {
    if (!this.resting) return;
    this.resting = false;
    this.soon();
  }
  rest(): void {
    this.resting = true;
    clearTimeout(this.timer);
    this.due = Infinity;
  }

  /** Within so long, or as soon as may be. One that is due sooner stays. */
  soon(within = 0): void {
    if (this.resting) return;
    const at = Math.max(this.begun + this.soonest, performance.now() + within);
    if (this.due <= at) return;
    this.due = at;
    clearTimeout(this.timer);
    if (!this.busy) this.timer = setTimeout(() => void this.go(), Math.max(0, at - performance.now()));
  }

  private async go(): Promise<void> {
    [this.busy, this.due, this.begun] = [true, Infinity, performance.now()];
    try {
      await this.act();
    } finally {
      this.busy = false;
      // What was wished meanwhile is due when it was wished for.
      const wished = this.due - performance.now();
      this.due = Infinity;
      this.soon(Math.max(0, Math.min(wished, this.latest)));
    }
  }
}
