import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openPage, startChromium } from '../support/chromium.ts';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
let browser: Browser | undefined;
beforeAll(async () => {
  gateway = await commonGateway();
  if (chromiumPath !== undefined) browser = await startChromium();
}, 180_000);
afterAll(() => browser?.close());

const TIMES = { timeout: 300_000 };

interface SentChange {
  once: string | undefined;
  key: string | undefined;
}

/** Opens a browser page in which the first response to a POST with this path is lost. */
async function openWithLostResponse(hash: string, path: string): Promise<{ page: Page; sent: SentChange[] }> {
  const page = await openPage(browser!, { viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  const sent: SentChange[] = [];
  await page.route(`**/v1${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    const { key } = (await response.json()) as { key?: string };
    sent.push({ once: route.request().headers()['idempotency-key'], key });
    return sent.length === 1 ? route.abort() : route.fulfill({ response });
  });
  await page.goto(`${gateway.baseUrl}/console${hash}`);
  await page.locator('input[type=password]').fill(gateway.managementKey);
  await page.locator('form button').click();
  return { page, sent };
}

describe.skipIf(chromiumPath === undefined)('a retry after a lost response', () => {
  it('returns the same playground key, and a later key is another key', TIMES, async () => {
    const { page, sent } = await openWithLostResponse('#/playground', '/keys');
    const create = page.getByRole('button', { name: 'Create a key with this limit' });
    await create.click();
    await page.getByText('The gateway does not answer').waitFor();
    await create.click();
    const other = page.getByRole('button', { name: 'Another key' });
    await other.click();
    await create.click();
    await other.waitFor();

    const [lost, retried, later] = sent;
    expect(lost!.key).toMatch(/^sk-mg-v1-/);
    expect(retried).toEqual(lost);
    expect(later!.key).toMatch(/^sk-mg-v1-/);
    expect(later!.key).not.toBe(lost!.key);
    await page.close();
  });

  it('adds the same members with the same idempotency key, and keeps their typed ids', TIMES, async () => {
    const { page, sent } = await openWithLostResponse('#/workspaces/default', '/workspaces/*/members/add');
    const typed = page.getByLabel('New members');
    const add = page.getByRole('button', { name: 'Add', exact: true });
    await typed.fill('ann, bob');
    await add.click();
    await page.getByText('The gateway does not answer').waitFor();
    await expect.poll(() => typed.inputValue()).toBe('ann, bob');
    await add.click();
    await page.getByRole('link', { name: 'bob' }).waitFor();
    await expect.poll(() => typed.inputValue()).toBe('');
    await typed.fill('cleo');
    await add.click();
    await page.getByRole('link', { name: 'cleo' }).waitFor();

    const [lost, retried, later] = sent.map(({ once }) => once);
    expect(retried).toBe(lost);
    expect(later).not.toBe(lost);
    await page.close();
  });
});
