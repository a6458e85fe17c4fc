// Who may do what, and what becomes of one whose token is no longer good, in a real browser.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from './stage.mjs';
import { binary } from './yard.mjs';

const stage = new Stage();
const open = (...said) => stage.open(...said), close = (page) => stage.close(page);


/** A service that asks for a token, with one of each role. */
async function guardedOne(t, ...wanted) {
  const guarded = await stage.another(t, { gpus: 2 });
  const folder = join(guarded.folder, 'yard');
  execFileSync('mkdir', ['-p', '-m', '700', folder]);
  const token = (role) => execFileSync(binary, ['token', 'create', '--role', role, '--owner', 'anna', '--folder', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const tokens = Object.fromEntries(wanted.map((role) => [role, token(role)]));
  await guarded.start();
  guarded.bearer = tokens.operate;
  return { guarded, tokens, url: await stage.urlOf(t, guarded), folder };
}
async function signIn(page, token) {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('with tokens it asks for one, and keeps it for the tab', async (t) => {
  const { tokens, url } = await guardedOne(t, 'read', 'operate');
  const page = await open('#/queue', { url, allowed: ['401'] });
  await signIn(page, 'wrong');
  await page.getByRole('alert').waitFor();
  await signIn(page, tokens.operate);
  await page.getByRole('button', { name: 'Pause queue' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Pause queue' }).waitFor();
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByLabel('Token', { exact: true }).waitFor();
  await close(page);
});

test('who may only read sees no button that does something, in any view', async (t) => {
  const { guarded, tokens, url } = await guardedOne(t, 'read', 'operate');
  const command = (words, more) => guarded.ask('POST', '/api/v1/tasks', { command: words, memory_mb: 10, ...more });
  const { id: running } = await command(['sleep', '300'], { name: 'guarded' });
  const { id: failed } = await command(['false']);
  const { id: waiting } = await command(['true'], { delay_s: 3600 });
  await stage.settled(failed, 'failed', guarded);
  const batch = { models: { bge: { memory_gb: 2 } }, workflows: { one: { embed: { model: 'bge', seconds: 300 } } }, requests: [{ workflow: 'one', count: 2 }] };
  const { id: run } = await guarded.ask('POST', '/api/v1/runs', { name: 'long', plan_seconds: 0.1, batch });
  const does = /^(Pause|Resume|Drain|Reserve|Load|Unload|Pin|Unpin|Cancel|Call off|Once more|Move|What to do)/;
  const acting = async (page, view) => {
    await page.evaluate((hash) => { location.hash = hash; }, `#/${view}`);
    await page.locator('main :is(article, canvas, tbody tr, li, pre, .empty, dl, form)').first().waitFor();
    await page.waitForTimeout(700);
    const all = page.locator('main :is(button, summary, select)');
    const named = await all.evaluateAll((found) => found.map((one) => one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent.trim()));
    const rows = await page.locator('tr[draggable=true], select[aria-label^="Priority of"]').count();
    return [...named.filter((name) => does.test(name)), ...(rows > 0 ? [`${rows} rows that move`] : [])];
  };
  const views = ['overview', 'queue', 'models', 'runs', `runs/${run}`, `task/${running}`, `task/${failed}`, `task/${waiting}`, 'timeline', 'pipelines', 'logs', 'settings'];
  const page = await open('#/queue', { url, allowed: ['401', '403', '404'] });
  await signIn(page, tokens.read);
  await page.getByText('guarded').first().waitFor();
  for (const view of views) assert.deepEqual(await acting(page, view), [], view);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await signIn(page, tokens.operate);
  // That they are there for an operator shows that they were looked for in the right way.
  for (const view of ['overview', 'queue', 'models', `runs/${run}`, `task/${running}`, `task/${failed}`, `task/${waiting}`]) assert.notDeepEqual(await acting(page, view), [], view);
  await close(page);
});

test('after a token is revoked nothing is asked with it, and another one opens the page again', async (t) => {
  const { guarded, tokens, url, folder } = await guardedOne(t, 'read', 'operate');
  const page = await open('#/overview', { url, allowed: ['401'] });
  await signIn(page, tokens.read);
  await page.getByText('Live', { exact: true }).waitFor();
  const { tokens: all } = JSON.parse(execFileSync(binary, ['token', 'list', '--json', '--folder', folder], { encoding: 'utf8' }));
  execFileSync(binary, ['token', 'revoke', all.find(({ role }) => role === 'read').id, '--folder', folder], { stdio: 'ignore' });
  await page.getByText('The token is unknown, expired or revoked.').waitFor();
  await page.waitForTimeout(1000);
  const asked = [];
  page.on('request', (one) => asked.push(one.url()));
  await page.waitForTimeout(4000);
  assert.deepEqual(asked, []);
  await signIn(page, tokens.operate);
  await page.getByText('Live', { exact: true }).waitFor();
  const { id } = await guarded.call('bge', 0.05);
  await page.getByRole('link', { name: `#${id}`, exact: true }).first().waitFor();
  await close(page);
});
