import { spawnSync } from 'node:child_process';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** Path of Chromium on this machine. If it is undefined, tests with a browser are skipped. */
export const chromiumPath = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '' && spawnSync(path, ['--version']).status === 0);

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium with settings that suppress its background requests. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: QUIET });
}

/**
 * Maximum time of a step in ms, longer than any page needs on a busy machine. If a test hangs, it fails with the name
 * of the step.
 */
const STEP_TIMEOUT_MS = 100_000;

/** Opens a page whose steps wait up to STEP_TIMEOUT_MS. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(STEP_TIMEOUT_MS);
  return page;
}
