// Pictures of every view with work running: node tests/shots.mjs URL FOLDER [view…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { front } from './front.mjs';

const [service, folder, ...wanted] = process.argv.slice(2);
const url = process.env.PAGE_FROM_DIST ? (await front(0, service)).url : service;
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

const latest = async (path, key) => (await (await fetch(url + path)).json())[key];
const runs = await latest('/api/v1/runs', 'runs');
const run = Math.max(0, ...runs.map((one) => one.id)), ended = runs.find((one) => one.ended)?.id ?? run;
const overview = await (await fetch(`${url}/api/v1/overview`)).json();
const task = (overview.running.find((one) => one.command.length > 0) ?? overview.running[0])?.id ?? 1;
const all = {
  overview: '#/overview', timeline: '#/timeline?span=60', queue: '#/queue', runs: '#/runs', run: `#/runs/${run}`, ended: `#/runs/${ended}`, models: '#/models',
  pipelines: '#/pipelines', simulate: '#/simulate?orders=fcfs,sjf,priority,srtf&show=srtf', trace: '#/simulate?from=trace&cluster=2x8&orders=fcfs,sjf,srtf,las&show=srtf', why: '#/timeline?span=60', logs: '#/logs', log: `#/logs/${task}`, task: `#/task/${task}`, settings: '#/settings',
};
const sets = [['light', 1440, 900], ['dark', 1440, 900], ['phone', 390, 844]];
for (const [name, width, height] of sets) {
  if (process.env.ONLY && process.env.ONLY !== name) continue;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: name === 'dark' ? 'dark' : 'light', deviceScaleFactor: 1, ...(name === 'phone' ? { isMobile: true, hasTouch: true } : {}) });
  page.on('console', (message) => message.type() === 'error' && console.log(name, page.url(), message.text()));
  page.on('pageerror', (error) => console.log(name, page.url(), String(error)));
  for (const [view, hash] of Object.entries(all)) {
    if (wanted.length > 0 && !wanted.includes(view)) continue;
    await page.goto(`${url}/${hash}`);
    await page.reload();
    await page.waitForTimeout(view === 'overview' ? 9000 : 3000);
    if (view === 'trace') {
      await page.locator('input[type=file]').setInputFiles(join(import.meta.dirname, '../../examples/day.csv'));
      await page.locator('.strip canvas').first().waitFor();
      await page.evaluate(() => document.querySelectorAll('main > section')[1]?.scrollIntoView());
      await page.waitForTimeout(800);
    }
    if (view === 'why') {
      // A bar of the first or the second GPU that has something to tell.
      const chart = page.getByRole('application'), box = await chart.boundingBox();
      for (const [share, y] of [[0.66, 60], [0.55, 107], [0.5, 60], [0.45, 107], [0.4, 60], [0.35, 107], [0.3, 60], [0.6, 60]]) {
        await chart.hover({ position: { x: share * box.width, y } });
        await page.waitForTimeout(600);
        if (await page.getByRole('tooltip').getByText('waited').count()) break;
      }
    }
    await page.screenshot({ path: `${folder}/${view}-${name}.png` });
  }
  await page.close();
}
await browser.close();
process.exit(0);
