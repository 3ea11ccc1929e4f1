// Starts the machine's own Chromium or Firefox, headless, for tests, benchmarks and screenshots.
import { launch } from 'puppeteer-core';
import { isRoot } from '../setup/run.mjs';
import { findChromium, findFirefox } from '../setup/system-packages.mjs';

// Nothing leaves the machine: no background traffic of the browser's own.
const CHROMIUM_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {string[]} [args] more flags */
export function launchChromium(args = []) {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium on PATH or in $CHROMIUM');
  const sandbox = isRoot() ? ['--no-sandbox'] : [];
  return launch({ browser: 'chrome', executablePath, args: [...CHROMIUM_FLAGS, ...sandbox, ...args] });
}

/** @param {Record<string, unknown>} [extraPrefsFirefox] preferences */
export function launchFirefox(extraPrefsFirefox = {}) {
  const executablePath = findFirefox();
  if (executablePath === undefined) throw new Error('no Firefox on PATH or in $FIREFOX');
  return launch({ browser: 'firefox', executablePath, extraPrefsFirefox });
}
