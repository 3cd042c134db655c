import { spawnSync } from 'node:child_process';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** Path of an installed Chromium. If it is undefined, tests with a browser are skipped. */
export const chromiumPath = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '' && spawnSync(path, ['--version']).status === 0);

/**
 * Features that tests do not need. The list replaces Playwright's list of disabled features, so it repeats entries that
 * concern these tests.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'Translate',
];

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: QUIET });
}

/** Timeout of each step. A test that hangs fails with the name of the step. */
const STEP_TIMEOUT_MS = 100_000;

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(STEP_TIMEOUT_MS);
  return page;
}
