// Asking the service. What it offers is read from its own description once, so that nothing is asked that is not there.
// Nothing is waited for without end: an answer must begin, and where it is read here also end, within its time.

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The service did not answer at all, or not in time. */
export class Unreachable extends Error {}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
  readonly patience?: number;
}

export const usualPatience = 20_000;

export class Api {
  token = '';
  version = '';
  /** A request with the token of now was answered 401. */
  onExpired: () => void = () => {};
  private paths: Record<string, Record<string, unknown>> = {};

  /** Whether the service has this route; before `learn`, none. */
  has(method: 'get' | 'post' | 'delete', path: string): boolean {
    return this.paths[path]?.[method] !== undefined;
  }

  async learn(): Promise<void> {
    const told = await this.get<{ paths: Api['paths']; info: { version: string } }>('/openapi.json');
    this.paths = told.paths;
    this.version = told.info.version;
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.send('GET', path, { signal }, (response) => response.json() as Promise<T>);
  }
  text(path: string, signal?: AbortSignal): Promise<string> {
    return this.send('GET', path, { signal }, (response) => response.text());
  }
  /** With where the next piece begins. */
  bytes(path: string, signal?: AbortSignal): Promise<{ bytes: ArrayBuffer; next: number | null }> {
    return this.send('GET', path, { signal }, async (response) => {
      const bytes = await response.arrayBuffer(), next = response.headers.get('X-Next');
      return { bytes, next: next === null ? null : Number(next) };
    });
  }
  post<T>(path: string, body?: unknown): Promise<T> {
    return this.send('POST', path, { body: body ?? {} }, (response) => response.json() as Promise<T>);
  }
  async remove(path: string): Promise<void> {
    await this.send('DELETE', path, {}, async () => undefined);
  }
  /** An answer that goes on and on: its reader takes care of its end, by the signal. */
  open(method: string, path: string, asked: Asked & { signal: AbortSignal }): Promise<Response> {
    return this.send(method, path, asked, async (response) => response);
  }

  private async send<T>(method: string, path: string, asked: Asked, read: (response: Response) => Promise<T>): Promise<T> {
    const { body, signal, patience = usualPatience } = asked;
    const token = this.token;
    const headers: Record<string, string> = { ...asked.headers };
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave);
    const clock = setTimeout(leave, patience);
    try {
      const response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body), signal: leaving.signal, cache: 'no-store', credentials: 'omit' });
      if (response.ok) return await read(response);
      if (response.status === 502 || response.status === 504) throw new Unreachable('the service does not answer');
      const refused = new Refused(response.status, await whyOf(response));
      if (refused.status === 401 && token === this.token) this.onExpired();
      throw refused;
    } catch (trouble) {
      if (signal?.aborted || trouble instanceof Refused || trouble instanceof Unreachable || trouble instanceof SyntaxError) throw trouble;
      throw new Unreachable(leaving.signal.aborted ? `the service did not answer within ${patience / 1000} s` : 'the service does not answer');
    } finally {
      clearTimeout(clock);
    }
  }
}

async function whyOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const told = JSON.parse(text) as { error?: string | { message?: string } };
    const why = typeof told.error === 'string' ? told.error : told.error?.message;
    if (why) return why;
  } catch {
    // Not JSON: a proxy's page, perhaps.
  }
  return `${response.status} ${response.statusText}`.trim();
}
