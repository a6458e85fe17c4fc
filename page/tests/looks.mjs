// How it looks to everybody: what axe finds, in light and dark, and at the width of a phone, in a real browser.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { row, Stage } from './stage.mjs';
import { binary } from './yard.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const stage = new Stage();
const open = (...said) => stage.open(...said), close = (page) => stage.close(page);
const { yard } = stage;

let run, running, failed;

/** Something of every kind, to be looked at. */
async function seen() {
  if (run) return;
  run = await stage.run();
  const work = (command, more) => yard.ask('POST', '/api/v1/tasks', { command, memory_mb: 10, ...more });
  running = (await work(['sh', '-c', 'echo it runs; sleep 300'], { name: 'a name that is so long that it must be cut off somewhere or other' })).id;
  failed = (await work(['sh', '-c', 'echo it went wrong >&2; exit 3'], { retries: 1 })).id;
  await stage.settled(running, 'running');
  await stage.settled(failed, 'failed');
  const ask = (path, body) => yard.ask('POST', `/api/v1/pipelines${path}`, body);
  await ask('', { name: 'tiny', model: { name: 'tiny', layers: 8, hidden: 1024, intermediate: 4096, heads: 16, kv_heads: 16, head_size: 64, vocab: 32000 } });
  await ask('/tiny/join', { node: { id: 'north', tflops: 100, memory_gib: 24, bandwidth_gb_s: 900 }, holds: [0, 8] });
}
/** Each view, and what is there when it has come. */
const views = () => ({
  overview: 'article', timeline: 'canvas', queue: 'tbody tr', runs: 'tbody tr', [`runs/${run}`]: 'svg[aria-label^=Steps]', models: 'tbody tr', pipelines: 'main',
  'pipelines/tiny': '.way', 'simulate?orders=fcfs,sjf&show=sjf': '.strip canvas', logs: 'main li', [`logs/${running}`]: 'pre', settings: 'tbody tr',
  [`task/${running}`]: 'pre', [`task/${failed}?stream=err`]: 'pre[aria-label=Log]',
});
async function isThere(page, view) {
  await page.locator(views()[view]).first().waitFor();
  // Meters move for a moment, and a bar is drawn in the frame after.
  await page.waitForTimeout(500);
}

for (const scheme of ['light', 'dark'])
  test(`no view has an accessibility fault that axe finds, ${scheme}`, async () => {
    await seen();
    await yard.ask('POST', '/api/v1/queue/pause');  // so that there is something to simulate
    const { id } = await yard.call('bge', 30);
    const page = await open('#/overview', { colorScheme: scheme, bypassCSP: true });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(axe);
    const faults = [];
    for (const view of Object.keys(views())) {
      await page.evaluate((hash) => { location.hash = hash; }, `#/${view}`);
      await isThere(page, view);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document));
      faults.push(...violations.map((one) => `${view}: ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' ')}`));
    }
    await page.evaluate(() => { location.hash = '#/queue'; });
    await row(page, running).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor();
    const { violations } = await page.evaluate(() => globalThis.axe.run(document));
    faults.push(...violations.map((one) => `dialog: ${one.id}`));
    await page.getByRole('button', { name: 'Leave it' }).click();
    await stage.cancelled([id]);
    assert.deepEqual(faults, []);
    await close(page);
  });

test('at the width of a phone nothing is wider than the screen', async () => {
  const page = await open('#/overview', { viewport: { width: 390, height: 844 } });
  await seen();
  for (const view of Object.keys(views())) {
    await page.evaluate((hash) => { location.hash = hash; }, `#/${view}`);
    await isThere(page, view);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 391, view);
  }
  await close(page);
});


for (const scheme of ['light', 'dark'])
  test(`the login has no fault that axe finds and fits a phone, ${scheme}`, async (t) => {
    const guarded = await stage.another(t, { gpus: 1 });
    const folder = join(guarded.folder, 'yard');
    execFileSync('mkdir', ['-p', '-m', '700', folder]);
    execFileSync(binary, ['token', 'create', '--role', 'read', '--owner', 'anna', '--folder', folder], { stdio: 'ignore' });
    await guarded.start();
    const page = await open('#/overview', { url: await stage.urlOf(t, guarded), allowed: ['401'], colorScheme: scheme, bypassCSP: true, viewport: { width: 390, height: 844 } });
    await page.getByLabel('Token', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document));
    assert.deepEqual(violations.map((one) => one.id), []);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 391);
    await close(page);
  });
