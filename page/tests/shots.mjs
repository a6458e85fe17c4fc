// Pictures of every view with work running: node tests/shots.mjs URL FOLDER [view…]
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { front } from './front.mjs';

const [service, folder, ...wanted] = process.argv.slice(2);
const url = process.env.PAGE_FROM_DIST ? (await front(0, service)).url : service;
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

const latest = async (path, key) => (await (await fetch(url + path)).json())[key];
const runs = await latest('/api/v1/runs', 'runs');
const run = runs.reduce((a, b) => (b.id > a ? b.id : a), 0);
const overview = await (await fetch(`${url}/api/v1/overview`)).json();
const task = overview.running[0]?.id ?? 1;
const all = {
  overview: '#/overview', timeline: '#/timeline?span=60', queue: '#/queue', runs: '#/runs', run: `#/runs/${run}`, models: '#/models',
  pipelines: '#/pipelines', simulate: '#/simulate', logs: '#/logs', task: `#/task/${task}`, settings: '#/settings',
};
const sets = [['light', 1440, 900], ['dark', 1440, 900], ['phone', 390, 844]];
for (const [name, width, height] of sets) {
  if (process.env.ONLY && process.env.ONLY !== name) continue;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: name === 'dark' ? 'dark' : 'light', deviceScaleFactor: 1 });
  page.on('console', (message) => message.type() === 'error' && console.log(name, page.url(), message.text()));
  page.on('pageerror', (error) => console.log(name, page.url(), String(error)));
  for (const [view, hash] of Object.entries(all)) {
    if (wanted.length > 0 && !wanted.includes(view)) continue;
    await page.goto(`${url}/${hash}`);
    await page.reload();
    await page.waitForTimeout(view === 'overview' ? 9000 : 3500);
    await page.screenshot({ path: `${folder}/${view}-${name}.png` });
  }
  await page.close();
}
await browser.close();
process.exit(0);
