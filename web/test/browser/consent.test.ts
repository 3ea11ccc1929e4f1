// What is loaded only when the reader says so: in either browser, every request counted by the server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { embedded } from './models';
import { click, count, figure, mapCell, text, tokenCount, type, until, within } from './view';

const EMBEDDED_SIZE = 4_905_216;
const ACTION = within('hf-notice', '.allow');

let server: TestServer;
/** Another origin. */
let elsewhere: TestServer;
beforeAll(async () => {
  server = await startServer();
  elsewhere = await startServer({ defaults: { cors: 'plain' } });
});
afterAll(async () => {
  await server.close();
  await elsewhere.close();
});

const fragment = (model: string, more = ''): string => `#model=${encodeURIComponent(model)}&prompt=How+are${more}`;
const answers = within('hf-answer', 'li button:not(.quiet)');

inEachBrowser(({ name, visitor }) => {
  test('load=shown: block 0, and more only for a click that states its size', async () => {
    const path = `shown-${name}.gguf`;
    const model = server.route(path, { file: embedded });
    const { page, complaints } = await (await visitor()).open(`${server.url}${fragment(model, '&load=shown')}`);
    await figure(page, { block: 0, head: 0, tokens: 2 });
    expect(await text(page, within('hf-answer', '.after'), /MB more/)).toMatch(/rest of the model: \d\.\d MB more/);
    const first = server.traffic(path).bytes;
    expect(first).toBeLessThan(1e6);

    await click(page, mapCell(1, 0));
    expect(await text(page, ACTION, /Load/)).toMatch(/^Load \d+ kB$/);
    expect(server.traffic(path).bytes).toBe(first);
    await click(page, ACTION);
    await figure(page, { block: 1, head: 0, tokens: 2 });
    const second = server.traffic(path).bytes;
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(EMBEDDED_SIZE / 2);

    await click(page, within('hf-answer', 'button'));
    await until(async () => (await count(page, answers)) === 10);
    expect(server.traffic(path).bytes).toBeLessThan(EMBEDDED_SIZE * 1.05);
    expect(complaints).toEqual([]);
  });

  test('in a frame of another page, only what is shown is loaded', async () => {
    const path = `framed-${name}.gguf`;
    const model = server.route(path, { file: embedded });
    const html = `<!doctype html><iframe width="1200" height="800" src="./${fragment(model)}"></iframe>`;
    const host = server.route(`host-${name}.html`, { bytes: new TextEncoder().encode(html), type: 'text/html' });
    const { page } = await (await visitor()).open(host);
    const frame = await until(async () => page.frames().find((one) => one.url().includes('#model')));
    await until(() =>
      frame.evaluate(() => {
        const root = document.querySelector('hf-page')?.shadowRoot?.querySelector('hf-figure')?.shadowRoot;
        return root?.querySelector('hf-answer')?.shadowRoot?.textContent?.includes('MB more');
      }),
    );
    expect(server.traffic(path).bytes).toBeLessThan(1e6);
  });

  test('another host is asked for nothing before a click, and is told of rows one by one only if the reader likes', async () => {
    const path = `foreign-${name}.gguf`;
    const model = elsewhere.route(path, { file: embedded });
    const { page } = await (await visitor()).open(`${server.url}${fragment(model)}`);
    await figure(page, { block: 0, head: 0, tokens: 2 });
    const { host } = new URL(model);
    expect(await text(page, within('hf-notice', '.text'))).toContain(`from ${host}, which has been asked nothing yet`);
    expect(elsewhere.traffic(path).requests).toBe(0);

    await click(page, ACTION);
    expect(await text(page, within('hf-origin', '.line'), /embedding rows/)).toContain(host);
    await until(async () => (await count(page, answers)) === 10);
  });

  test('all embedding rows first: no request tells which tokens a prompt has', async () => {
    const path = `rows-${name}.gguf`;
    const model = elsewhere.route(path, { file: embedded });
    const { page } = await (await visitor()).open(`${server.url}${fragment(model, '&load=shown')}`);
    await until(async () => (await count(page, ACTION)) === 2);
    await click(page, `${ACTION}:nth-of-type(2)`);
    await text(page, within('hf-origin', '.line'), /All of its embedding rows are here/);
    const { requests } = elsewhere.traffic(path);
    const asked = elsewhere.log.filter((one) => one.path.endsWith(path)).map(({ range }) => range);
    for (const range of asked) expect((range?.end ?? 0) - (range?.begin ?? 0)).toBeGreaterThan(10_000);
    await type(page, 'The zebra was quick');
    await until(async () => (await tokenCount(page)) > 3);
    const tokens = await tokenCount(page);
    await figure(page, { block: 0, head: 0, tokens });
    expect(elsewhere.traffic(path).requests).toBe(requests);
  });
});
