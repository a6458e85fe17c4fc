// The timeline, the charts of runs and the reports, in a real browser.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from './stage.mjs';
import { binary } from './yard.mjs';

const stage = new Stage();
const open = (...said) => stage.open(...said), close = (page) => stage.close(page);
const { yard } = stage;

test('the timeline zooms by wheel, button and key, and its address holds the view', async () => {
  await yard.call('whisper', 0.2);
  const page = await open('#/timeline?span=60');
  const chart = page.getByRole('application');
  await chart.waitFor();
  await chart.hover({ position: { x: 500, y: 80 } });
  await page.mouse.wheel(0, -400);
  await page.waitForURL(/from=/);
  const spanOf = () => { const q = new URLSearchParams(page.url().split('?')[1]); return q.get('to') - q.get('from'); };
  const wheel = spanOf();
  assert.ok(wheel < 60);
  await chart.focus();
  await page.keyboard.press('+');
  await page.waitForFunction((was) => { const q = new URLSearchParams(location.hash.split('?')[1]); return q.get('to') - q.get('from') < was; }, wheel);
  const shared = page.url();
  await page.reload();
  await chart.waitFor();
  assert.equal(page.url(), shared);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.waitForURL((url) => !url.href.includes('from='));
  await close(page);
});

/** Of what the timeline shows, in seconds. */
const shownBy = (page) => page.evaluate(() => { const q = new URLSearchParams(location.hash.split('?')[1]); return [Number(q.get('from')), Number(q.get('to'))]; });

test('a timeline that is dragged stays where it is dragged', async () => {
  await yard.call('whisper', 0.2);
  const page = await open('#/timeline?span=60');
  const chart = page.getByRole('application');
  await chart.waitFor();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 700, box.y + 90);
  await page.mouse.wheel(0, -600);
  await page.waitForURL(/from=/);
  const [before] = await shownBy(page);
  await page.mouse.down();
  // Slow enough for the clock and the looks at the service to come in between.
  for (let i = 1; i <= 30; ++i) {
    await page.mouse.move(box.x + 700 - 10 * i, box.y + 90);
    await page.waitForTimeout(80);
  }
  await page.mouse.up();
  await page.waitForFunction((was) => Number(new URLSearchParams(location.hash.split('?')[1]).get('from')) !== was, before);
  await page.waitForTimeout(1500);
  const [from, to] = await shownBy(page);
  const moved = (from - before) / (to - from), wanted = 300 / (box.width - 70);
  // The chart ends a little after now: there it may be stopped, but never pulled back.
  assert.ok(moved > 0 && moved < wanted * 1.05, `moved by ${moved} of its width, wanted ${wanted}`);
  await close(page);
});

test('by keys a bar is chosen, told and opened', async () => {
  const { id } = await yard.call('bge', 0.4, { name: 'found by keys' });
  await stage.settled(id, 'succeeded');
  const page = await open('#/timeline?span=60');
  const chart = page.getByRole('application');
  await chart.focus();
  const tip = page.getByRole('tooltip');
  for (let i = 0; i < 60 && !(await tip.getByText('found by keys').count()); ++i) await page.keyboard.press(i % 12 === 11 ? 'Shift+ArrowDown' : 'Shift+ArrowRight');
  await tip.getByText('found by keys').waitFor();
  await page.getByRole('status').getByText(/found by keys.*Enter opens its task/).waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await tip.waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+ArrowRight');
  await tip.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/task\/\d+/);
  await close(page);
});

test('a finger is told first, and opens by pressing again', async () => {
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sleep', '300'], name: 'pressed', memory_mb: 10 });
  await stage.settled(id, 'running');
  const page = await open('#/timeline?span=60', { viewport: { width: 390, height: 844 }, hasTouch: true });
  const chart = page.getByRole('application');
  await chart.waitFor();
  await page.locator('main .legend').waitFor();
  const { gpus } = (await yard.ask('GET', `/api/v1/tasks/${id}`)).attempts[0];
  await page.waitForTimeout(1200);
  const box = await chart.boundingBox();
  // The bar goes on until now, which stands at 88 of 100; a lane is 26 tall, with 7 between.
  const [x, y] = [box.x + 46 + (box.width - 56) * 0.88 - 3, box.y + 28 + 33 * gpus[0] + 16];
  await page.touchscreen.tap(x, y);
  await page.getByRole('tooltip').getByText('pressed').waitFor();
  await page.getByRole('tooltip').getByText('Press it again').waitFor();
  assert.match(page.url(), /#\/timeline/);
  await page.touchscreen.tap(x, y);
  await page.waitForURL(new RegExp(`#/task/${id}$`));
  await stage.cancelled([id]);
  await close(page);
});

test('a bar tells what it really waited for', async () => {
  await yard.ask('POST', '/api/v1/queue/pause');
  const first = await yard.ask('POST', '/api/v1/tasks', { command: ['sleep', '1'], name: 'goes first', memory_mb: 10 });
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sleep', '300'], name: 'comes after', memory_mb: 10, after: [first.id] });
  await yard.ask('POST', '/api/v1/queue/resume');
  await stage.settled(id, 'running');
  const page = await open('#/timeline?span=60');
  const chart = page.getByRole('application');
  await chart.waitFor();
  await chart.focus();
  const tip = page.getByRole('tooltip');
  for (let i = 0; i < 80 && !(await tip.getByText('comes after').count()); ++i) await page.keyboard.press(i % 20 === 19 ? 'Shift+ArrowDown' : 'Shift+ArrowRight');
  await tip.getByText(`waited for #${first.id}, which it needs`).waitFor();
  await stage.cancelled([id]);
  await close(page);
});

test('a run shows its steps, its progress and its outputs', async () => {
  const id = await stage.run();
  const page = await open(`#/runs/${id}`);
  await page.getByText('8 of 8 steps').waitFor({ timeout: 30_000 });
  await page.locator('svg[aria-label^="Steps"]').first().waitFor();
  await page.locator('svg[aria-label^="Steps of rag"] path.strong').waitFor({ state: 'attached' });
  await page.locator('.step.succeeded', { hasText: 'draft' }).first().waitFor();
  await page.getByRole('link', { name: /draft/ }).first().click();
  await page.getByRole('heading', { name: 'Outputs of draft' }).waitFor();
  assert.match(page.url(), /step=draft/);
  await page.getByTitle('The whole of it').first().click();
  await page.locator('td.whole pre').getByText('"pretended": true').waitFor();
  await close(page);
});

test('a run that is over is not read again and again', async () => {
  const id = await stage.run(2, 0.05);
  const page = await open(`#/runs/${id}`);
  await page.locator('.step.succeeded', { hasText: 'draft' }).first().waitFor({ timeout: 30_000 });
  await page.getByText('ended', { exact: true }).first().waitFor();
  await page.waitForTimeout(3000);
  const asked = [];
  page.on('request', (one) => /runs\/\d+\/(timeline|results)/.test(one.url()) && asked.push(one.url()));
  await page.waitForTimeout(4000);
  assert.deepEqual(asked, []);
  await close(page);
});

test('steps under way are on the chart of their run', async () => {
  const id = await stage.run(2, 3);
  const page = await open(`#/runs/${id}`);
  const chart = page.getByRole('application');
  await chart.waitFor();
  await page.getByText(/[12] running/).first().waitFor({ timeout: 30_000 });
  await chart.focus();
  const tip = page.getByRole('tooltip');
  // Down from the plan's lane to that of what happens.
  for (let i = 0; i < 20 && !(await tip.getByText('running').count()); ++i) await page.keyboard.press('Shift+ArrowDown');
  for (let i = 0; i < 20 && !(await tip.getByText('running').count()); ++i) await page.keyboard.press('Shift+ArrowUp');
  await tip.getByText('running').first().waitFor();
  await yard.ask('DELETE', `/api/v1/runs/${id}`);
  await close(page);
});

test('a hundred thousand real calls are drawn within a frame', async (t) => {
  const busy = await (await stage.another(t)).start();
  const wanted = Number(process.env.BARS ?? 100_000);
  for (let sent = 0; sent < wanted; sent += 5000)
    await busy.ask('POST', '/api/v1/tasks', { tasks: Array.from({ length: 5000 }, (_, i) => ({ model: 'bge', input: { seconds: 0 }, name: `step ${sent + i}` })) });
  for (let ended = -1, still = 0; ended < wanted && still < 120;) {
    await new Promise((go) => setTimeout(go, 250));
    const { succeeded } = (await busy.ask('GET', '/api/v1/overview')).ended;
    [still, ended] = [succeeded > ended ? 0 : still + 1, succeeded];
  }
  const page = await open('about:blank');
  await page.addInitScript(() => {
    const real = window.requestAnimationFrame.bind(window);
    window.frames_ = [];
    window.requestAnimationFrame = (call) => real((at) => { const began = performance.now(); call(at); window.frames_.push(performance.now() - began); });
  });
  const rows = [];
  page.on('response', async (answer) => answer.url().includes('/api/v1/timeline') && rows.push((await answer.json().catch(() => ({ rows: [] }))).rows.length));
  await page.goto(`${await stage.urlOf(t, busy)}/#/timeline?span=3600`);
  await page.getByRole('application').waitFor();
  const sum = () => rows.reduce((all, n) => all + n, 0);
  // A page of the past comes every five seconds at the end; one that is late may still come.
  for (let last = 0, still = 0; sum() < 0.9 * wanted && still < 40; still = sum() > last ? 0 : still + 1, last = sum()) await page.waitForTimeout(500);
  const told = sum();
  assert.ok(told >= 0.9 * wanted, `${told} rows were told`);  // calls that were handed ahead and called back took places too
  await page.waitForTimeout(1000);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByRole('application').hover({ position: { x: 600, y: 60 } });
  await page.evaluate(() => { window.frames_.length = 0; });
  for (let i = 0; i < 60; ++i) {
    await page.mouse.wheel(0, i < 30 ? -30 : 30);
    await page.waitForTimeout(16);
  }
  const times = (await page.evaluate(() => window.frames_)).sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)];
  console.log(`${told} bars of the service's own timeline: ${times.length} frames, p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms`);
  assert.ok(times.length >= 20);
  assert.ok(at(0.95) < 33, `p95 ${at(0.95)} ms`);
  await close(page);
});

test('the reports of plan, run and simulate draw the same chart, without a network', async () => {
  const report = (name, words) => (execFileSync(binary, [...words, '--html', join(yard.folder, name)], { stdio: 'ignore' }), `file://${join(yard.folder, name)}`);
  const examples = join(import.meta.dirname, '../../examples');
  const page = await open(report('simulated.html', ['simulate', join(examples, 'day.csv'), '--cluster', '2x8', '--order', 'fcfs,srtf']), { colorScheme: 'dark' });
  await page.locator('#completions canvas').waitFor();
  assert.equal(await page.locator('.strip canvas').count(), 4);
  const painted = () => page.locator('#chart').evaluate((canvas) => new Set(canvas.getContext('2d').getImageData(100, 30, 600, 100).data).size > 8);
  assert.ok(await painted());
  await page.locator('#shown').selectOption({ label: 'fcfs' });
  await page.locator('#chart').hover({ position: { x: 400, y: 60 } });
  await page.goto(report('plan.html', ['plan', join(examples, 'rag.yaml')]));
  await page.locator('#legend button').first().waitFor();
  assert.ok(await painted());
  await page.locator('#chart').hover({ position: { x: 400, y: 60 } });
  await page.goto(report('run.html', ['run', join(examples, 'rag.yaml'), '--pretend', '--speed', '200']));
  await page.locator('#legend button').first().waitFor();
  assert.ok(await painted());
  await page.locator('#chart').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.locator('#tip').getByText('request').waitFor();
  await close(page);
});
