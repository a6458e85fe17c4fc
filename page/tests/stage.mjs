// What browser tests stand on: a browser, a service with pretended models, and pages that must stay free of errors.
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { chromium } from 'playwright-core';
import { front } from './front.mjs';
import { Yard } from './yard.mjs';

const patience = 15_000;

export class Stage {
  constructor(options) {
    this.yard = new Yard(options);
    before(async () => {
      this.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
      await this.yard.start();
      // While one works on the page, with a binary that has another one in it.
      if (process.env.PAGE_FROM_DIST) this.front = await front(0, this.yard.url);
    });
    // A test that failed has left something behind.
    beforeEach(async () => {
      await Promise.all(this.browser.contexts().map((context) => context.close()));
      await this.yard.ask('POST', '/api/v1/queue/resume');
    });
    after(async () => {
      await this.browser?.close();
      await this.front?.stop();
      await this.yard.end();
    });
  }

  /** Another service, which ends with the test. */
  async another(t, options) {
    const yard = new Yard(options);
    t.after(() => yard.end());
    return yard;
  }
  async urlOf(t, yard) {
    if (!process.env.PAGE_FROM_DIST) return yard.url;
    const one = await front(0, yard.url);
    t.after(() => one.stop());
    return one.url;
  }

  /** `allowed`: errors that the test brings about. */
  async open(hash = '#/overview', { allowed = [], url = (this.front ?? this.yard).url, ...options } = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.trouble = [];
    page.on('console', (said) => said.type() === 'error' && !allowed.some((one) => said.text().includes(one)) && page.trouble.push(said.text()));
    page.on('response', (answer) => process.env.DEBUG && answer.status() >= 400 && console.log(answer.status(), answer.url()));
    page.on('pageerror', (error) => page.trouble.push(String(error)));
    await page.goto(hash.startsWith('#') ? `${url}/${hash}` : hash);
    return page;
  }
  async close(page) {
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  }

  /** A task that has come to this state. */
  async settled(id, state, yard = this.yard) {
    for (let i = 0; i < 600; ++i) {
      if ((await yard.ask('GET', `/api/v1/tasks/${id}`)).state === state) return id;
      await new Promise((go) => setTimeout(go, 50));
    }
    assert.fail(`#${id} did not become ${state} in 30 s`);
  }
  async cancelled(ids) {
    for (let i = 0; i < ids.length; i += 50) await Promise.all(ids.slice(i, i + 50).map((id) => this.yard.ask('DELETE', `/api/v1/tasks/${id}`)));
  }
  /** A run of `count` requests of two steps each, by its number. */
  async run(count = 4, seconds = 0.1) {
    const workflows = { rag: { embed: { model: 'bge', seconds }, draft: { model: 'whisper', seconds: 2 * seconds, needs: ['embed'] } } };
    const batch = { models: { bge: { memory_gb: 2 }, whisper: { memory_gb: 3 } }, workflows, requests: [{ workflow: 'rag', count }] };
    return (await this.yard.ask('POST', '/api/v1/runs', { name: 'evening', plan_seconds: 0.2, batch })).id;
  }
}

export const row = (page, id) => page.locator('tbody tr', { has: page.getByRole('link', { name: `#${id}`, exact: true }) });
