import { spawnSync } from 'node:child_process';
import { chromium, type Browser } from 'playwright-core';

/** Path of Chromium on this machine; undefined if there is none, and tests with a browser are skipped. */
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

/** Starts Chromium without any background requests. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: QUIET });
}
