// Two figures of different prompts on one page share one engine: each shows its own numbers, and one that is taken away
// frees all that it held.
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { embedded } from './models';
import { type Drawn, expectSameNumbers } from './numbers';
import { figure, OPENING, OPENING_PROMPT, until } from './view';

const FIRST = { prompt: OPENING_PROMPT, ...OPENING };
const SECOND = { prompt: 'How are', block: 1, head: 2, tokens: 2 };

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** What the scripts below see of a figure and of the page's globals. */
interface Figure extends HTMLElement {
  readonly input: { readonly engine: object; readonly state: object };
  show(input: object): void;
}
declare global {
  var second: Figure;
  var sessions: { opened: number; closed: number };
}

/** Adds a figure below the page's own, of the same engine, whose sessions are counted. */
const addSecond = (page: Page): Promise<void> =>
  page.evaluate(({ prompt, block, head }) => {
    const first = document.querySelector('hf-page')?.shadowRoot?.querySelector('hf-figure') as Figure;
    globalThis.sessions = { opened: 0, closed: 0 };
    const counted = new Proxy(first.input.engine, {
      get(engine, key) {
        const value = Reflect.get(engine, key, engine);
        if (typeof value !== 'function') return value;
        if (key !== 'createSession') return value.bind(engine);
        return async (...options: readonly unknown[]) => {
          const session = await value.apply(engine, options);
          globalThis.sessions.opened++;
          const close = session.close.bind(session);
          session.close = async () => {
            await close();
            globalThis.sessions.closed++;
          };
          return session;
        };
      },
    });
    globalThis.second = document.createElement('hf-figure') as Figure;
    document.body.append(globalThis.second);
    const state = { ...first.input.state, prompt, block, head, path: ['kq_soft_max-1[2,1,0]'], cell: null };
    globalThis.second.show({ ...first.input, engine: counted, state });
  }, SECOND);

/** What the second figure shows, once that is what it was given. */
const secondDrawn = (page: Page): Promise<Drawn[]> =>
  until(async () => {
    const json = await page.evaluate(({ block, head, tokens }) => {
      type Part = { stage: string; node: string; head: number; columns: readonly number[]; values: Float32Array };
      const flow = globalThis.second.shadowRoot?.querySelector('hf-flow') as unknown as { drawingData(): Part[] };
      const parts = flow.drawingData();
      const p = parts.find(({ stage }) => stage === 'p');
      const there = p?.node === `kq_soft_max-${block}` && p.head === head && p.columns[1] === tokens;
      return there ? JSON.stringify(parts.map((part) => ({ ...part, values: Array.from(part.values, String) }))) : null;
    }, SECOND);
    if (json === null) return null;
    const parts: (Omit<Drawn, 'values'> & { values: string[] })[] = JSON.parse(json);
    return parts.map((part) => ({ ...part, values: part.values.map(Number) }));
  });

const explained = (page: Page): Promise<true> =>
  until(() =>
    page.evaluate(() => {
      const breakdown = globalThis.second.shadowRoot?.querySelector('hf-breakdown');
      return (breakdown?.shadowRoot?.querySelector('.value b') ?? null) !== null;
    }),
  ).then(() => true);

const countOf = (page: Page) => page.evaluate(() => globalThis.sessions);

inEachBrowser(({ visitor }) => {
  test('each shows its own numbers; one that is removed frees its sessions, and comes back', async () => {
    const { page, complaints } = await (await visitor()).open(server.url);
    await figure(page, FIRST);
    await addSecond(page);
    expectSameNumbers(await secondDrawn(page), embedded, SECOND.prompt);
    expectSameNumbers(await figure(page, FIRST), embedded, FIRST.prompt);
    await explained(page);
    expect(await countOf(page)).toEqual({ opened: 2, closed: 0 });

    await page.evaluate(() => globalThis.second.remove());
    await until(async () => (await countOf(page)).closed === 2);
    expect(await page.evaluate(() => globalThis.second.shadowRoot?.querySelectorAll('hf-flow canvas').length)).toBe(0);
    expectSameNumbers(await figure(page, FIRST), embedded, FIRST.prompt);

    await page.evaluate(() => document.body.append(globalThis.second));
    expectSameNumbers(await secondDrawn(page), embedded, SECOND.prompt);
    await explained(page);
    expect(await countOf(page)).toEqual({ opened: 4, closed: 2 });
    expect(complaints).toEqual([]);
  });
});
