// A log, read piece by piece: where the next one begins, and characters whole that two pieces share. Pure but for `ask`.

export type AskForPiece = (from: number) => Promise<{ bytes: ArrayBuffer; next: number | null }>;

export class LogReader {
  private from = 0;
  private readonly decoder = new TextDecoder();

  constructor(private readonly ask: AskForPiece) {}

  /** The next piece as text; null: there is no more, for now. */
  async more(): Promise<string | null> {
    const { bytes, next } = await this.ask(this.from);
    if (bytes.byteLength === 0) return null;
    this.from = next ?? this.from + bytes.byteLength;
    return this.decoder.decode(bytes, { stream: true });
  }
}
