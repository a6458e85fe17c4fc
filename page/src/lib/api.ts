// Asking the service. What it offers is read from its own description once, so that nothing is asked that is not there.

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The service did not answer at all. */
export class Unreachable extends Error {}

export class Api {
  token = '';
  private paths: Record<string, Record<string, unknown>> = {};
  version = '';

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
    return this.ask('GET', path, undefined, signal).then((response) => response.json() as Promise<T>);
  }
  text(path: string, signal?: AbortSignal): Promise<Response> {
    return this.ask('GET', path, undefined, signal);
  }
  async post<T>(path: string, body?: unknown): Promise<T> {
    return (await this.ask('POST', path, body ?? {})).json() as Promise<T>;
  }
  async remove(path: string): Promise<void> {
    await this.ask('DELETE', path);
  }

  async ask(method: string, path: string, body?: unknown, signal?: AbortSignal, headers: Record<string, string> = {}): Promise<Response> {
    const all: Record<string, string> = { ...headers };
    if (this.token) all.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) all['Content-Type'] = 'application/json';
    let response: Response;
    try {
      response = await fetch(path, { method, headers: all, body: body === undefined ? null : JSON.stringify(body), signal: signal ?? null, cache: 'no-store', credentials: 'omit' });
    } catch (trouble) {
      if (signal?.aborted) throw trouble;
      throw new Unreachable('the service does not answer');
    }
    if (response.ok) return response;
    if (response.status === 502 || response.status === 504) throw new Unreachable('the service does not answer');
    throw new Refused(response.status, await whyOf(response));
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
