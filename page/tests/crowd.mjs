// What a hundred open pages cost the service: node tests/crowd.mjs [PAGES] [SECONDS] [VIEW]
//
// A real service on pretended GPUs with work under way, and for each page what a page does: it listens to the events, and
// asks again when something changed, twice a second at most (state/live.svelte.ts, line.svelte.ts, past.svelte.ts). The
// processor time of the service is the kernel's count of its own process; the same work with nobody looking comes off.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { Yard } from './yard.mjs';

const [pages = 100, seconds = 20, view = 'overview'] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 20), process.argv[4]];
const agent = new Agent({ keepAlive: true, maxSockets: 3 * pages });
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

class Page {
  constructor(url) {
    this.url = url;
    this.asked = 0;
    this.bytes = 0;
    this.dirty = true;
    this.cursor = '';
  }
  open() {
    this.stream = get(`${this.url}/api/v1/events`, { agent: new Agent() }, (told) => told.on('data', (bytes) => { this.dirty = true; this.bytes += bytes.length; }));
    this.stream.on('error', () => {});
    void this.look();
  }
  close() {
    this.closed = true;
    this.stream.destroy();
  }
  ask(path) {
    ++this.asked;
    return new Promise((go, fail) => get(this.url + path, { agent }, (told) => {
      let text = '';
      told.setEncoding('utf8').on('data', (part) => { text += part; this.bytes += part.length; }).on('end', () => go(text));
    }).on('error', fail));
  }
  async look() {
    for (let slow = 0, looked = 0; !this.closed;) {
      await pause(50);
      const now = performance.now();
      if (now - looked < (this.dirty ? 500 : 2000)) continue;
      this.dirty = false;
      looked = now;
      const asked = [this.ask('/api/v1/overview'), this.ask('/api/v1/gpus')];
      if (now - slow >= 1900) {
        slow = now;
        asked.push(this.ask('/api/v1/models'), this.ask('/api/v1/runs'));
      }
      if (view === 'queue' && now - (this.queued ?? 0) >= 900) {
        this.queued = now;
        asked.push(this.ask('/api/v1/queue/tasks?limit=100'));
      }
      if (view === 'timeline')
        asked.push(this.ask(`/api/v1/timeline?${this.cursor ? `after=${this.cursor}` : 'limit=10000'}`).then((text) => (this.cursor = JSON.parse(text).cursor)));
      await Promise.all(asked).catch(() => {});
    }
  }
}

/** Seconds of processor time that the process has used so far. */
function used(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
async function over(pid, s) {
  const before = used(pid), began = performance.now();
  await pause(s * 1000);
  return (used(pid) - before) / ((performance.now() - began) / 1000);
}

const yard = await new Yard({ gpus: 8 }).start();
let going = true;
const work = (async () => {
  // Eight GPUs at work, a few calls a second, and a line that stays some hundreds long.
  await Promise.all(Array.from({ length: 300 }, (_, i) => yard.call(['bge', 'whisper', 'sdxl'][i % 3], 1, { name: `call ${i}` })));
  for (let i = 0; going; ++i) {
    await yard.call(['bge', 'whisper', 'sdxl'][i % 3], 1, { name: `later ${i}` });
    await pause(250);
  }
})();
await pause(3000);
const alone = await over(yard.process.pid, seconds / 2);
const open = Array.from({ length: pages }, () => new Page(yard.url));
for (const page of open) {
  page.open();
  await pause(10);
}
await pause(2000);
const asked = open.reduce((sum, page) => sum + page.asked, 0), bytes = open.reduce((sum, page) => sum + page.bytes, 0);
const watched = await over(yard.process.pid, seconds);
const requests = (open.reduce((sum, page) => sum + page.asked, 0) - asked) / seconds, traffic = (open.reduce((sum, page) => sum + page.bytes, 0) - bytes) / seconds;
console.log(`${pages} pages of the ${view}: ${requests.toFixed(0)} requests and ${(traffic / 1e6).toFixed(2)} MB a second; the service used ${(100 * watched).toFixed(1)} % of a core, ${(100 * alone).toFixed(1)} % with nobody looking: ${(100 * (watched - alone)).toFixed(1)} % for the pages`);
going = false;
for (const page of open) page.close();
await work;
await yard.end();
process.exit(0);
