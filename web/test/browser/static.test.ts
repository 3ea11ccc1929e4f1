// The built folder on the hosts that there are: beneath a path, plain, strict, or answering everything with a page.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterEach, expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import type { ServerOptions } from '../server/options';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { address, mini } from './models';
import { figure, OPENING, text, until, within } from './view';

const dist = join(root, 'dist');
const REPORTS = '/refused';
const wasm = `assets/${readdirSync(join(dist, 'assets')).find((name) => name.endsWith('.wasm'))}`;
const WEB_PAGE = { file: join(dist, 'index.html'), type: 'text/html' };

/** The policy that the page is made for, or another; `report-uri` lets the server see what a worker is refused. */
function withPolicy(scripts = "'self' 'wasm-unsafe-eval'", workers = "'self'", fonts = "'self'"): ServerOptions {
  const policy = [
    `default-src 'self'; script-src ${scripts}; connect-src 'self' https:; img-src 'self' blob:; worker-src ${workers}`,
    ...(fonts === "'self'" ? [] : [`font-src ${fonts}`]),
    `report-uri ${REPORTS}`,
  ].join('; ');
  return { base: '/a/b/', defaults: { headers: { 'content-security-policy': policy } } };
}

let server: TestServer;
const serve = async (options: ServerOptions): Promise<TestServer> => {
  server = await startServer(options);
  return server;
};
afterEach(() => server.close());

const refused = () => server.log.filter(({ path }) => path === REPORTS).length;
const notice = (page: Page, pattern: RegExp) => text(page, within('hf-notice', '.text'), pattern);
const line = (page: Page, name: 'offline' | 'forbidden', pattern: RegExp) => text(page, within(`.${name}`), pattern);

const plain: ServerOptions = {
  base: '/a/b/',
  defaults: { ranges: 'none', etag: null, lastModified: null, headers: { 'cache-control': null } },
};

inEachBrowser(({ visitor }) => {
  test('a plain host: no ranges, no headers, a type for WebAssembly that is none', async () => {
    const { url } = await serve(plain);
    server.route(wasm, { file: join(dist, wasm), type: 'application/octet-stream' });
    const { page, complaints, requests } = await (await visitor()).open(url);
    await figure(page, OPENING);
    expect(complaints).toEqual([]);
    expect(requests.filter((asked) => !asked.startsWith(url) && !asked.startsWith('blob:'))).toEqual([]);
  });

  test('the strict policy refuses nothing that the page does', async () => {
    const { url } = await serve(withPolicy());
    const { page, complaints } = await (await visitor()).open(url);
    await figure(page, OPENING);
    await line(page, 'offline', /opens offline/);
    expect(complaints).toEqual([]);
    expect(refused()).toBe(0);
  });

  test.each([
    ['WebAssembly', withPolicy("'self'"), /forbids WebAssembly .*script-src.*'wasm-unsafe-eval'/],
    ['workers', withPolicy(undefined, "'none'"), /worker failed: .*forbids it \(Content-Security-Policy, worker-src\)/],
  ])('a host that forbids %s is told from a failure', async (_, options, sentence) => {
    const { url } = await serve(options);
    const { page } = await (await visitor()).open(url);
    await notice(page, sentence);
  });

  test('a host that forbids fonts: the page says so, and works', async () => {
    const { url } = await serve(withPolicy(undefined, undefined, "'none'"));
    const { page } = await (await visitor()).open(url);
    await figure(page, OPENING);
    await line(page, 'forbidden', /forbids loading .*\(Content-Security-Policy, font-src\)/);
  });

  test('a host that forbids the script: the page says what it needs', async () => {
    const { url } = await serve(withPolicy("'none'"));
    const { page } = await (await visitor()).open(url);
    const visible = () => page.$eval('hf-page', (element) => getComputedStyle(element).visibility === 'visible');
    await until(visible);
    expect(await page.$eval('hf-page', (element) => element.textContent)).toMatch(/script-src/);
  });

  test('a host that answers with a page for what is missing', async () => {
    const { url } = await serve({ base: '/a/b/' });
    server.route(wasm, WEB_PAGE);
    const one = await (await visitor()).open(url);
    await notice(one.page, /headflow-.*\.wasm: not a WebAssembly module/);
    server.route(wasm);
    server.route('models/models.json', WEB_PAGE);
    const other = await (await visitor()).open(url);
    await notice(other.page, /list of models/);
  });

  test('a list of models that never comes: that is said, and a model opens by its address', async () => {
    const { url } = await serve({});
    const model = server.route('m.gguf', { file: mini });
    server.route('models/models.json', { latency: Number.POSITIVE_INFINITY });
    const { page } = await (await visitor()).open(address(url, { model, prompt: 'How are' }));
    expect(await notice(page, /list of models/)).toContain('no answer within 5 s');
    await figure(page, { block: 0, head: 0, tokens: 2 });
  });

  test('an address gone to before the list of models is there is followed once it is', async () => {
    const { url } = await serve({ base: '/a/b/' });
    server.route('models/models.json', { latency: 700 });
    server.route('embedded', { status: 404, latency: 2000 }); // What the name would be as an address.
    const { page } = await (await visitor()).open(url);
    await page.evaluate(() => {
      location.hash = 'model=embedded&prompt=How are';
    });
    await figure(page, { block: 0, head: 0, tokens: 2 });
  });
});
