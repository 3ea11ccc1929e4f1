// For tests in a real browser: one for the whole run, visitors with storage of their own, and what they open.
//
//   inEachBrowser(({ visitor }) => {
//     test('...', async () => { const { page } = await (await visitor()).open(server.url); ... });
//   });
//
// The tests run twice, as the projects `chromium` and `firefox` of vite.config.ts; files named *.chromium.test.ts in
// Chromium alone, and these call `inThisBrowser` at their top.
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { afterEach, beforeAll, describe } from 'vitest';
import { launchChromium, launchFirefox } from '../../../scripts/lib/browser.mjs';

export type BrowserName = 'Chromium' | 'Firefox';

/** A host name that leads to this machine, though browsers do not treat it like localhost. */
export const LAN = 'classroom.test';

const name: BrowserName = process.env.HEADFLOW_BROWSER === 'firefox' ? 'Firefox' : 'Chromium';
let running: Browser | undefined;

function launchBrowser(): Promise<Browser> {
  if (name === 'Chromium') return launchChromium([`--host-resolver-rules=MAP ${LAN} 127.0.0.1`]);
  return launchFirefox({ 'network.dns.localDomains': LAN, 'security.fileuri.strict_origin_policy': true });
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
    // A data: address is part of the page; Firefox tells of it as of a request.
    page.on('request', (request) => request.url().startsWith('data:') || requests.push(request.url()));
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

/** The browser of this run, started by the first file that calls this; it ends with the process that runs the tests. */
export function inThisBrowser(): InBrowser {
  const visitors: Visitor[] = [];
  const browser = (): Browser => {
    if (running === undefined) throw new Error('the browser is started before the first test');
    return running;
  };
  beforeAll(async () => {
    if (!running?.connected) running = await launchBrowser();
  });
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) await visitor.close();
  });
  return {
    name,
    browser,
    async visitor() {
      const visitor = new Visitor(await browser().createBrowserContext());
      visitors.push(visitor);
      return visitor;
    },
  };
}

/** Declares tests that every browser must pass. */
export function inEachBrowser(tests: (browser: InBrowser) => void): void {
  describe(`in ${name}`, () => tests(inThisBrowser()));
}
