// For tests in a real browser: the built page, served, and the machine's own Chromium to open it in.
import { type Browser, chromium } from 'playwright-core';
import { serve } from '../../../scripts/serve.mjs';
import { isRoot } from '../../../scripts/setup/run.mjs';
import { findChromium } from '../../../scripts/setup/system-packages.mjs';

// Nothing leaves the machine: no background traffic of the browser's own.
export const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Site {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Serves dist/ on a free port and starts a browser. */
export async function openSite(): Promise<Site> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium on PATH or in $CHROMIUM');
  const { server, url } = await serve({ port: 0 });
  const args = isRoot() ? [...FLAGS, '--no-sandbox'] : FLAGS;
  const browser = await chromium.launch({ executablePath, headless: true, args });
  return {
    url,
    browser,
    async close() {
      await browser.close();
      server.close();
    },
  };
}
