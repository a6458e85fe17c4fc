// A real service on pretended GPUs, with models that only take their time, for tests and for looking at the page.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const binary = resolve(process.env.SWITCHYARD ?? join(import.meta.dirname, '../../build/release/switchyard'));

const models = { bge: [2, 0.5], reranker: [4, 0.7], 'llama-8b': [16, 1.2], 'llama-70b': [70, 3], whisper: [3, 0.6], sdxl: [12, 1.5] };

/** One that nobody listens on now. */
function freePort() {
  return new Promise((go, fail) => {
    const server = createServer().on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => go(port));
    });
  });
}

export class Yard {
  constructor({ port = 0, gpus = 4 } = {}) {
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'switchyard-page-'));
    this.gpus = gpus;
    this.hosts = [];
    const runner = (load) => [binary, 'pretended-model', '--load', String(load)];
    const file = Object.fromEntries(Object.entries(models).map(([name, [gb, load]]) => [name, { command: runner(load), memory_mb: gb * 1000 }]));
    writeFileSync(join(this.folder, 'models.json'), JSON.stringify({ models: file }));
  }

  async start() {
    const folder = join(this.folder, 'yard');
    this.port ||= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.process = spawn(binary, ['serve', '--folder', folder, '--listen', `127.0.0.1:${this.port}`, '--gpus', `simulated:${this.gpus}x80`,
      '--models-file', join(this.folder, 'models.json'), '--max-models-per-gpu', '1'], { stdio: ['ignore', 'ignore', 'inherit'] });
    for (let i = 0; i < 600; ++i) {
      if (await fetch(`${this.url}/readyz`).then((answer) => answer.ok, () => false)) return this;
      await new Promise((go) => setTimeout(go, 50));
    }
    throw new Error('the service did not start');
  }

  async ask(method, path, body) {
    const headers = { 'Content-Type': 'application/json', ...(this.bearer ? { Authorization: `Bearer ${this.bearer}` } : {}) };
    const answer = await fetch(this.url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** What pretended models read: how long to take. */
  call(model, seconds, more = {}) {
    return this.ask('POST', '/api/v1/tasks', { model, input: { seconds }, estimate_s: seconds, ...more });
  }

  /** A machine elsewhere with GPUs of its own, as far as the service can tell; ends with the yard. */
  host(name, gpus) {
    const one = spawn(binary, ['worker', '--server', `unix:${join(this.folder, 'yard', 'api.sock')}`, '--name', name, '--gpus', `simulated:${gpus}x80`, '--folder', join(this.folder, name)], { stdio: ['ignore', 'ignore', 'inherit'] });
    this.hosts.push(one);
    return one;
  }

  async stop(signal = 'SIGKILL') {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = new Promise((go) => this.process.once('exit', go));
    this.process.kill(signal);
    await gone;
  }

  async end() {
    for (const host of this.hosts) {
      const gone = host.exitCode === null ? new Promise((go) => host.once('exit', go)) : null;
      host.kill('SIGTERM');
      await gone;
    }
    // What runs may end; what takes longer than a test is stopped by the second.
    const again = setTimeout(() => this.process?.kill('SIGTERM'), 3000);
    await this.stop('SIGTERM').catch(() => {});
    clearTimeout(again);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
