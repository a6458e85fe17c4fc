// What comes while one looks: events, their line when it breaks, and logs, in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { front } from './front.mjs';
import { Stage } from './stage.mjs';

const stage = new Stage();
const open = (...said) => stage.open(...said), close = (page) => stage.close(page);
const { yard } = stage;

test('after a restart of the service the page comes back by itself', async () => {
  const page = await open('#/overview', { allowed: ['Failed to load resource', 'net::ERR'] });
  await page.getByText('Live', { exact: true }).waitFor();
  await yard.stop();
  await page.getByText('Reconnecting').waitFor();
  await yard.start();
  await page.getByText('Live', { exact: true }).waitFor();
  const { id } = await yard.call('bge', 0.3);
  await page.getByRole('link', { name: `#${id}`, exact: true }).first().waitFor();
  await close(page);
});

test('a thousand events a second leave the page responsive', async () => {
  const page = await open('#/overview');
  await page.getByText('Live', { exact: true }).waitFor();
  await yard.ask('POST', '/api/v1/queue/pause');
  const stalls = page.evaluate(async () => {
    const gaps = [];
    for (let last = performance.now(), end = last + 4000; last < end;) {
      await new Promise((go) => setTimeout(go, 20));
      const now = performance.now();
      gaps.push(now - last - 20);
      last = now;
    }
    return gaps.sort((a, b) => a - b);
  });
  const ids = [];
  for (let i = 0; i < 4; ++i) {
    const { tasks } = await yard.ask('POST', '/api/v1/tasks', { tasks: Array.from({ length: 1000 }, () => ({ command: ['true'], memory_mb: 10 })) });
    ids.push(...tasks.map((task) => task.id));
    await new Promise((go) => setTimeout(go, 900));
  }
  const gaps = await stalls;
  console.log(`1,000 events a second: a timer of 20 ms was late by p50 ${gaps[gaps.length >> 1].toFixed(0)} ms, p99 ${gaps[Math.floor(gaps.length * 0.99)].toFixed(0)} ms`);
  assert.ok(gaps[Math.floor(gaps.length * 0.95)] < 200);
  await stage.cancelled(ids);
  await close(page);
});

/** As a page in the background, or not any more. */
const hide = (page, hidden) => page.evaluate((to) => {
  Object.defineProperty(document, 'hidden', { value: to, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}, hidden);

test('a page in the background asks nothing, and then goes on where it stopped', async () => {
  const page = await open('#/logs');
  await page.getByText('Live', { exact: true }).waitFor();
  const { id: before } = await yard.call('bge', 0.05);
  await page.locator('li', { hasText: `#${before}` }).getByText('succeeded').waitFor();
  await hide(page, true);
  await page.waitForTimeout(1000);
  const asked = [];
  page.on('request', (one) => asked.push([one.url(), one.headers()['last-event-id']]));
  const { id } = await yard.call('bge', 0.05);
  await stage.settled(id, 'succeeded');
  await page.waitForTimeout(3000);
  assert.deepEqual(asked, []);
  await hide(page, false);
  await page.locator('li', { hasText: `#${id}` }).getByText('succeeded').waitFor();
  assert.match(asked.find(([url]) => url.includes('/events'))[1], /^\d+-\d+$/);
  assert.equal(await page.locator('li', { hasText: `#${before}` }).getByText('succeeded').count(), 1);
  await close(page);
});

test('after a cut line it goes on where it stopped, with nothing lost or doubled', async (t) => {
  const between = await front(0, yard.url, !process.env.PAGE_FROM_DIST);
  t.after(() => between.stop());
  const page = await open('#/logs', { url: between.url, allowed: ['Failed to load resource', 'net::ERR'] });
  await page.getByText('Live', { exact: true }).waitFor();
  const ids = [];
  for (let round = 0; round < 4; ++round) {
    for (let i = 0; i < 5; ++i) ids.push((await yard.call('bge', 0.02)).id);
    if (round < 3) between.cut();
    await page.waitForTimeout(300);
  }
  for (const id of ids) await stage.settled(id, 'succeeded');
  const heard = await latest(yard, ids);
  await page.locator('li', { hasText: `#${ids.at(-1)}` }).getByText('succeeded').waitFor();
  for (const id of ids) assert.equal(await page.locator('li', { has: page.getByRole('link', { name: `#${id}`, exact: true }) }).count(), heard.get(id), `#${id}`);
  await close(page);
});

/** How many events there were about each, as the service remembers them. */
async function latest(yard, ids) {
  const heard = new Map(ids.map((id) => [id, 0]));
  const leaving = new AbortController();
  const hello = await fetch(`${yard.url}/api/v1/events`, { signal: leaving.signal });
  const life = /id: (\d+)-/.exec(new TextDecoder().decode((await hello.body.getReader().read()).value))[1];
  const all = (await fetch(`${yard.url}/api/v1/events?after=${life}-0`, { signal: leaving.signal })).body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes(`"task":${ids.at(-1)},"what":"ended"`)) text += (await all.read()).value;
  leaving.abort();
  for (const [, task] of text.matchAll(/"task":(\d+),/g)) if (heard.has(Number(task))) heard.set(Number(task), heard.get(Number(task)) + 1);
  return heard;
}

test('who opens the page sees what happened before', async () => {
  const { id } = await yard.call('bge', 0.05, { name: 'long ago' });
  await stage.settled(id, 'succeeded');
  const page = await open('#/overview');
  await page.getByRole('link', { name: `#${id}`, exact: true }).first().waitFor();
  await close(page);
});

test('a log is followed while its task runs', async () => {
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sh', '-c', 'echo first; sleep 1.5; echo second'], memory_mb: 10 });
  await stage.settled(id, 'running');
  const page = await open(`#/logs/${id}`);
  await page.getByLabel('Log').getByText('first').waitFor();
  await page.getByLabel('Log').getByText('second').waitFor();
  await close(page);
});

test('a large log is read to its end, once, while its task runs', async () => {
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sh', '-c', 'seq 1 400000; echo Köln; sleep 300'], memory_mb: 10 });
  await stage.settled(id, 'running');
  const page = await open('about:blank');
  const asked = [];
  page.on('request', (one) => one.url().includes('/logs?') && asked.push(Number(new URL(one.url()).searchParams.get('from'))));
  await page.goto(`${(stage.front ?? yard).url}/#/logs/${id}`);
  await page.getByLabel('Log').getByText('400000\nKöln').waitFor();
  await page.waitForTimeout(3000);
  assert.equal(asked.filter((from) => from === 0).length, 1);
  assert.ok(asked.every((from, i) => i === 0 || from >= asked[i - 1]), asked.join());
  await stage.cancelled([id]);
  await stage.settled(id, 'cancelled');
  await page.waitForTimeout(2000);
  const until = asked.length;
  await page.waitForTimeout(2000);
  assert.equal(asked.length, until);
  await close(page);
});

test('who reads further up in a log is left there', async () => {
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sh', '-c', 'i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done'], memory_mb: 10 });
  await stage.settled(id, 'running');
  const page = await open(`#/logs/${id}`);
  const log = page.getByLabel('Log');
  await log.getByText('line 150').waitFor();
  await log.evaluate((box) => { box.scrollTop = box.scrollHeight; });
  await log.hover();
  await page.mouse.wheel(0, -600);
  await page.locator('button[aria-pressed=false]', { hasText: 'Follow' }).waitFor();
  const at = await log.evaluate((box) => box.scrollTop);
  await page.waitForTimeout(2500);
  assert.equal(await log.evaluate((box) => box.scrollTop), at);
  await stage.cancelled([id]);
  await close(page);
});

test('the log of an earlier attempt can be chosen', async () => {
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sh', '-c', 'echo attempt by $$; exit 3'], retries: 1, memory_mb: 10 });
  await stage.settled(id, 'failed');
  const page = await open(`#/task/${id}`);
  const log = page.getByLabel('Log', { exact: true });
  const last = await log.innerText();
  await page.getByLabel(/^Attempt/).selectOption('1');
  await page.waitForFunction((was) => document.querySelector('pre[aria-label=Log]')?.innerText !== was, last);
  assert.match(page.url(), /attempt=1/);
  await page.getByRole('link', { name: 'Log of attempt 2' }).click();
  await log.getByText(last.trim()).waitFor();
  await close(page);
});
