// For tests in Chromium and Firefox alike: a browser of each, visitors with storage of their own, and what they open.
//
//   inEachBrowser(({ visitor }) => {
//     test('...', async () => { const { page } = await (await visitor()).open(server.url); ... });
//   });
import { type Browser, type BrowserContext, launch, type Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { isRoot } from '../../../scripts/setup/run.mjs';
import { findChromium, findFirefox } from '../../../scripts/setup/system-packages.mjs';
import { FLAGS } from './chromium';

export type BrowserName = 'Chromium' | 'Firefox';

export interface LaunchOptions {
  readonly args?: readonly string[];
  /** Firefox's preferences. */
  readonly prefs?: Readonly<Record<string, unknown>>;
}

const PATHS = { Chromium: findChromium(), Firefox: findFirefox() };

export async function launchBrowser(
  name: BrowserName,
  { args = [], prefs = {} }: LaunchOptions = {},
): Promise<Browser> {
  const executablePath = PATHS[name];
  if (executablePath === undefined) throw new Error(`no ${name} on PATH or in $${name.toUpperCase()}`);
  if (name === 'Firefox') {
    return launch({ browser: 'firefox', executablePath, args: [...args], extraPrefsFirefox: { ...prefs } });
  }
  const flags = isRoot() ? [...FLAGS, '--no-sandbox'] : FLAGS;
  return launch({ browser: 'chrome', executablePath, args: [...flags, ...args] });
}

/** A page as it was opened, and what it did since. */
export interface View {
  readonly page: Page;
  /** Everything that a page should not do: errors of the console, exceptions, violations of the policy. */
  readonly complaints: string[];
  /** The addresses of its requests; those of its workers are in the server's log alone. */
  readonly requests: string[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Someone with storage of their own, who may come again or have several tabs. */
export class Visitor {
  readonly context: BrowserContext;

  constructor(context: BrowserContext) {
    this.context = context;
  }

  /** A new tab. */
  async open(url: string, size: Size = { width: 1440, height: 900 }): Promise<View> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(0); // The tests' own limits end all waits.
    await page.setViewport(size);
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error instanceof Error ? error.message : String(error)));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    return { page, complaints, requests };
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

export interface InBrowser {
  readonly name: BrowserName;
  /** A new visitor, who leaves when the test ends. */
  visitor(): Promise<Visitor>;
  browser(): Browser;
}

/** Declares the same tests for each browser; a browser that set-up could not have has its tests skipped. */
export function inEachBrowser(tests: (browser: InBrowser) => void, options: LaunchOptions = {}): void {
  for (const name of ['Chromium', 'Firefox'] as const) {
    const without = name === 'Firefox' && PATHS.Firefox === undefined;
    describe.skipIf(without)(`in ${name}`, () => {
      let browser: Browser;
      const visitors: Visitor[] = [];
      beforeAll(async () => {
        browser = await launchBrowser(name, options);
      });
      afterEach(async () => {
        for (const visitor of visitors.splice(0)) await visitor.close();
      });
      afterAll(() => browser?.close());
      tests({
        name,
        browser: () => browser,
        async visitor() {
          const visitor = new Visitor(await browser.createBrowserContext());
          visitors.push(visitor);
          return visitor;
        },
      });
    });
  }
}
