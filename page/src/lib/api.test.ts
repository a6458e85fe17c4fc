import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Api, Refused, Unreachable, usualPatience } from './api';

let api: Api;
let expired: number;
beforeEach(() => {
  vi.useFakeTimers();
  [api, expired] = [new Api(), 0];
  api.onExpired = () => ++expired;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A service whose answers are given by hand, and which hangs up on who leaves. */
function service() {
  const waiting: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', (_path: string, { signal }: RequestInit) => new Promise<Response>((answer, fail) => {
    signal!.addEventListener('abort', () => fail(new DOMException('aborted', 'AbortError')));
    waiting.push(answer);
  }));
  return waiting;
}
const said = (status: number, body: unknown = {}) => new Response(JSON.stringify(body), { status });

describe('a question', () => {
  it('that is not answered in time is given up', async () => {
    service();
    const asked = expect(api.get('/slow')).rejects.toThrow(new Unreachable('the service did not answer within 20 s'));
    await vi.advanceTimersByTimeAsync(usualPatience);
    await asked;
  });
  it('whose answer begins and does not end is given up too', async () => {
    const waiting = service();
    const asked = api.text('/slow').catch((trouble: Error) => trouble);
    const body = new ReadableStream({ start: (control) => setTimeout(() => control.error(new Error('cut')), usualPatience + 1) });
    waiting[0]!(new Response(body));
    await vi.advanceTimersByTimeAsync(usualPatience + 10);
    expect(await asked).toBeInstanceOf(Unreachable);
  });
  it('that was withdrawn is no fault of the service', async () => {
    service();
    const leaving = new AbortController();
    const asked = expect(api.get('/x', leaving.signal)).rejects.toThrow('aborted');
    leaving.abort();
    await asked;
  });
  it('that is refused says why', async () => {
    const waiting = service();
    const asked = expect(api.post('/x')).rejects.toThrow(new Refused(409, 'not now'));
    waiting[0]!(said(409, { error: 'not now' }));
    await asked;
    expect(expired).toBe(0);
  });
});

describe('a token that is not taken any more', () => {
  it('is told', async () => {
    const waiting = service();
    api.token = 'old';
    const asked = expect(api.get('/x')).rejects.toThrow(Refused);
    waiting[0]!(said(401));
    await asked;
    expect(expired).toBe(1);
  });
  it('says nothing against the one that came after it', async () => {
    const waiting = service();
    api.token = 'old';
    const asked = expect(api.get('/x')).rejects.toThrow(Refused);
    api.token = 'new';
    waiting[0]!(said(401));
    await asked;
    expect(expired).toBe(0);
  });
});
