// The views and what one does in them: the binary's own page in a real browser, on a real service with pretended models.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { row, Stage } from './stage.mjs';

const stage = new Stage();
const open = (...said) => stage.open(...said), close = (page) => stage.close(page);
const { yard } = stage;

test('it paints within a second, with every GPU', async () => {
  const paints = [];
  for (let load = 0; load < 3; ++load) {
    const page = await open();
    await page.getByRole('article', { name: 'gpu3' }).waitFor();
    assert.equal(await page.locator('article').count(), 4);
    paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime));
    await close(page);
  }
  console.log(`first paint after ${paints.map(Math.round).join(', ')} ms`);
  assert.ok(Math.min(...paints) < 1000);
});

test('what happens is seen without a reload', async () => {
  const page = await open();
  await page.getByText('Live', { exact: true }).waitFor();
  const { id } = await yard.call('bge', 1, { name: 'seen live' });
  await page.getByRole('link', { name: `#${id}`, exact: true }).first().waitFor();
  await page.locator('article').getByText('bge').first().waitFor();
  await close(page);
});

test('a waiting task is found, moved and cancelled, and the queue is paused and resumed', async () => {
  await yard.ask('POST', '/api/v1/queue/pause');
  const { id } = await yard.call('bge', 1, { name: 'needle in the hay' });
  const { id: other } = await yard.call('bge', 1, { name: 'hay' });
  const page = await open('#/queue');
  await page.getByText('the queue is paused').first().waitFor();
  await page.getByRole('searchbox').fill('needle');
  await row(page, other).waitFor({ state: 'detached' });
  assert.match(page.url(), /q=needle/);
  await page.getByLabel(`Priority of #${id}`).selectOption('HIGH');
  await page.getByText(`#${id} is HIGH now.`).waitFor();
  assert.equal((await yard.ask('GET', `/api/v1/tasks/${id}`)).priority, 'HIGH');
  await page.getByRole('button', { name: `Cancel #${id}` }).click();
  await stage.settled(id, 'cancelled');
  await row(page, id).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Resume queue' }).click();
  await page.getByRole('button', { name: 'Pause queue' }).click();
  await page.getByText('queue paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Resume queue' }).click();
  await stage.settled(other, 'succeeded');
  assert.equal((await yard.ask('GET', '/api/v1/queue')).paused, false);
  await close(page);
});

test('the queue tells places, reasons and expected starts, and more of them on demand', async () => {
  await yard.ask('POST', '/api/v1/queue/pause');
  const { tasks } = await yard.ask('POST', '/api/v1/tasks', { tasks: Array.from({ length: 150 }, (_, i) => ({ command: ['true'], memory_mb: 10, estimate_s: 1, name: `crowd ${i}` })) });
  const page = await open('#/queue?q=crowd');
  await page.locator('tbody tr').nth(99).waitFor();
  assert.equal(await page.locator('tbody tr').count(), 100);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.locator('tbody tr').nth(149).waitFor();
  assert.equal(await row(page, tasks[149].id).locator('td').first().innerText(), '150');
  await stage.cancelled(tasks.map((task) => task.id));
  await yard.ask('POST', '/api/v1/queue/resume');
  const busy = await Promise.all([1, 2, 3, 4].map(() => yard.ask('POST', '/api/v1/tasks', { command: ['sleep', '300'], estimate_s: 40, memory_mb: 10 })));
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['true'], estimate_s: 1, memory_mb: 10 });
  await page.goto(page.url().replace(/#.*/, '#/queue'));
  await row(page, id).getByText('all 4 GPUs are busy').waitFor();
  await row(page, id).getByText(/in \d+s/).waitFor();
  await stage.cancelled([id, ...busy.map((task) => task.id)]);
  await close(page);
});

test('a GPU says which model it will have to load next', async () => {
  await yard.call('sdxl', 0.1);
  const busy = await Promise.all([1, 2, 3, 4].map(() => yard.ask('POST', '/api/v1/tasks', { command: ['sleep', '300'], estimate_s: 20, memory_mb: 10 })));
  for (const { id } of busy) await stage.settled(id, 'running');
  const { id } = await yard.call('llama-8b', 1);
  const page = await open();
  await page.locator('article .next', { hasText: 'llama-8b' }).first().waitFor();
  await stage.cancelled([id, ...busy.map((task) => task.id)]);
  await close(page);
});

test('a task is moved to the front, to the back and before another', async () => {
  await yard.ask('POST', '/api/v1/queue/pause');
  const { tasks } = await yard.ask('POST', '/api/v1/tasks', { tasks: ['one', 'two', 'three'].map((name) => ({ command: ['true'], memory_mb: 10, name: `mover ${name}` })) });
  const [one, two, three] = tasks.map(({ id }) => id);
  const page = await open('#/queue?q=mover');
  const shown = async (...ids) => {
    for (let i = 0; i < 100; ++i) {
      const found = await page.locator('tbody tr .link').allInnerTexts();
      if (found.join() === ids.map((id) => `#${id}`).join()) return;
      await page.waitForTimeout(50);
    }
    assert.fail(`not ${ids}: ${await page.locator('tbody tr .link').allInnerTexts()}`);
  };
  await shown(one, two, three);
  await page.getByRole('button', { name: `Move #${three} to the front` }).click();
  await shown(three, one, two);
  await page.getByRole('button', { name: `Move #${three} to the back` }).click();
  await shown(one, two, three);
  await row(page, three).dragTo(row(page, two));
  await shown(one, three, two);
  await stage.cancelled([one, two, three]);
  await close(page);
});

test('GPUs of other machines stand under the names of these', async () => {
  const page = await open('#/overview');
  await page.getByRole('region', { name: 'GPUs', exact: true }).waitFor();
  const host = yard.host('rack1', 2);
  const theirs = page.getByRole('region', { name: 'GPUs of rack1' });
  await theirs.waitFor();
  assert.equal(await theirs.locator('article').count(), 2);
  await page.getByRole('region', { name: 'GPUs of this machine' }).waitFor();
  const gone = new Promise((go) => host.once('exit', go));
  host.kill('SIGTERM');
  await gone;
  await page.getByRole('heading', { name: /rack1.*away/ }).waitFor();
  await yard.ask('DELETE', '/api/v1/hosts/rack1');
  await page.getByRole('region', { name: 'GPUs', exact: true }).waitFor();
  await close(page);
});

test('a running task is cancelled only after a question', async () => {
  const { id } = await yard.ask('POST', '/api/v1/tasks', { command: ['sleep', '300'], name: 'long', memory_mb: 10 });
  await stage.settled(id, 'running');
  const page = await open('#/queue');
  await page.getByRole('button', { name: `Cancel #${id}` }).click();
  await page.getByRole('button', { name: 'Leave it' }).click();
  assert.equal((await yard.ask('GET', `/api/v1/tasks/${id}`)).state, 'running');
  await page.getByRole('button', { name: `Cancel #${id}` }).click();
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await stage.settled(id, 'cancelled');
  await close(page);
});

test('models are loaded, pinned and unloaded', async () => {
  const page = await open('#/models');
  const line = page.locator('tbody tr', { hasText: 'reranker' });
  await line.getByRole('button', { name: 'Load reranker', exact: true }).click();
  await line.locator('.place').first().waitFor();
  await line.getByRole('button', { name: 'Pin reranker' }).click();
  await line.getByText('pinned').waitFor();
  await line.getByRole('button', { name: 'Unpin reranker' }).click();
  await line.getByText('pinned').waitFor({ state: 'detached' });
  await line.getByRole('button', { name: 'Unload reranker' }).click();
  await line.getByText('nowhere').waitFor();
  await close(page);
});

test('dark follows the system, and the switch overrules it', async () => {
  const page = await open('#/settings', { colorScheme: 'dark' });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole('button', { name: 'Light', exact: true }).waitFor();
  const dark = await paper();
  await page.getByRole('button', { name: 'Light', exact: true }).click();
  assert.notEqual(await paper(), dark);
  await page.reload();
  await page.getByRole('button', { name: 'Light', exact: true }).waitFor();
  assert.notEqual(await paper(), dark);
  await close(page);
});

test('a pipeline shows its ways and its nodes', async () => {
  const ask = (path, body) => yard.ask('POST', `/api/v1/pipelines${path}`, body);
  await ask('', { name: 'tiny', model: { name: 'tiny', layers: 8, hidden: 1024, intermediate: 4096, heads: 16, kv_heads: 16, head_size: 64, vocab: 32000 } });
  await ask('/tiny/join', { node: { id: 'north', tflops: 100, memory_gib: 24, bandwidth_gb_s: 900 }, holds: [0, 8] });
  const page = await open('#/pipelines/tiny');
  await page.locator('tbody tr', { hasText: 'north' }).getByText('0–7').waitFor();
  await page.getByRole('img', { name: 'way 1: north layers 0 to 7' }).waitFor();
  await close(page);
});

test('the live queue is tried under other orders, side by side with the one in force', async () => {
  await yard.ask('POST', '/api/v1/queue/pause');
  const ids = [];
  for (const seconds of [300, 200, 250, 280, 20, 40, 30, 10]) ids.push((await yard.call('bge', seconds, { name: 'what if' })).id);
  const page = await open('#/simulate');
  await page.getByRole('button', { name: 'mlfq' }).click();
  await page.getByRole('button', { name: 'srtf' }).click();
  assert.match(page.url(), /orders=fcfs%2Csjf%2Cpriority%2Cmlfq/);
  await page.getByRole('button', { name: 'Compare' }).click();
  const rows = page.locator('tbody tr');
  await rows.nth(3).waitFor();
  assert.equal(await rows.count(), 4);
  await rows.filter({ hasText: 'priority' }).getByText('in force').waitFor();
  await page.locator('.best').first().waitFor();
  await page.getByText('The queue is paused: this is how it would go on').waitFor();
  await page.locator('canvas[aria-label^="What each GPU would do under"]').waitFor();
  assert.equal(await page.locator('.strip').count(), 8);
  await page.getByRole('button', { name: 'sjf', exact: true }).last().click();
  await page.getByRole('heading', { name: 'Under sjf' }).waitFor();
  const shared = page.url();
  assert.match(shared, /show=sjf/);
  await page.reload();
  await page.getByRole('heading', { name: 'Under sjf' }).waitFor();
  assert.equal(page.url(), shared);
  await stage.cancelled(ids);
  await close(page);
});

test('a trace is chosen or dropped, and its mistakes are shown with their line', async () => {
  const page = await open('#/simulate?from=trace&cluster=1x2&orders=fcfs,srtf');
  const file = (name, text) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  const head = 'job_id,submit_s,duration_s,gpus,user\n';
  await page.locator('input[type=file]').setInputFiles(file('bad.csv', `${head}a,5,10,1,ann\nb,4,10,1,bob\n`));
  await page.getByRole('alert').getByText('Line 3, column 3:').waitFor();
  await page.getByRole('alert').getByText('b,4,10,1,bob').waitFor();
  const jobs = Array.from({ length: 40 }, (_, i) => `j${i},${i},${(i * 7) % 30},${1 + (i % 2)},${i % 2 ? 'ann' : 'bob'}`).join('\n');
  await page.evaluate(([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: 'text/csv' }));
    document.querySelector('form').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, ['good.csv', `${head}${jobs}\n`]);
  await page.getByRole('heading', { name: 'good.csv' }).waitFor();
  await page.getByText('40 jobs on 2 GPUs').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  const plot = page.getByRole('img', { name: /Part of the jobs/ });
  await plot.hover({ position: { x: 300, y: 100 } });
  await plot.getByText(/^within /).waitFor();
  await close(page);
});

test('a simulation that takes long shows how far it is and is called off', async () => {
  const page = await open('#/simulate?from=trace&cluster=64x8&place=spread&orders=las,rr,srtf,mlfq');
  const rows = Array.from({ length: 120_000 }, (_, i) => `${i},${i},1000000,1`).join('\n');
  await page.locator('input[type=file]').setInputFiles({ name: 'long.csv', mimeType: 'text/csv', buffer: Buffer.from(`job_id,submit_s,duration_s,gpus\n${rows}\n`) });
  await page.getByRole('progressbar', { name: 'Simulating' }).waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Compare' }).waitFor();
  await close(page);
});

test('a priority that is refused is not shown as if it were taken', async () => {
  await yard.ask('POST', '/api/v1/queue/pause');
  const { id } = await yard.call('bge', 1, { name: 'stays normal' });
  const page = await open('#/queue', { allowed: ['Failed to load resource'] });
  await page.route('**/priority', (asked) => asked.fulfill({ status: 409, contentType: 'application/json', body: '{"error":"not now"}' }));
  const choice = page.getByLabel(`Priority of #${id}`);
  await choice.selectOption('HIGH');
  await page.getByText('not now').waitFor();
  assert.equal(await choice.inputValue(), 'NORMAL');
  await stage.cancelled([id]);
  await close(page);
});

test('a pipeline that is not there stays told, without flickering', async () => {
  const page = await open('#/pipelines/nowhere', { allowed: ['404'] });
  await page.getByRole('heading', { level: 2 }).waitFor();
  const seen = await page.evaluate(async () => {
    const seen = new Set();
    const watcher = new MutationObserver(() => seen.add(document.querySelector('main h2')?.textContent ?? ''));
    watcher.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
    await new Promise((go) => setTimeout(go, 4500));
    return [...seen, document.querySelector('main h2').textContent];
  });
  assert.equal(new Set(seen).size, 1, seen.join());
  await close(page);
});
