import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayBefore } from '../../lambdas/accounting/activity-days.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { chromiumPath, openPage, startChromium } from '../support/chromium.ts';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
let browser: Browser | undefined;
beforeAll(async () => {
  gateway = await commonGateway();
  await manage(gateway, 'PUT', '/tags', { reported: ['project'] });
  if (chromiumPath !== undefined) browser = await startChromium();
}, 180_000);
afterAll(() => browser?.close());

describe.skipIf(chromiumPath === undefined)('the overview', () => {
  it.each([
    ['en-US', 'Tag project', 'no value'],
    ['ru-RU', 'Тег project', 'без значения'],
  ])('shows the days by a reported tag in %s', { timeout: 300_000 }, async (locale, choice, none) => {
    const page = await openPage(browser!, { viewport: { width: 1280, height: 900 }, locale });
    await page.route('**/v1/activity?group_by=tag:project', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object[] };
      const row = { date: dayBefore(utcDate(Date.now())), model: 'sandbox/claude', requests: 3 };
      const added = [
        { ...row, usage: 0.25, tags: { project: 'озеро' } },
        { ...row, usage: 0.5, tags: { project: '' } },
      ];
      await route.fulfill({ response, json: { data: [...data, ...added] } });
    });
    await page.goto(`${gateway.baseUrl}/console`);
    await page.locator('input[type=password]').fill(gateway.managementKey);
    await page.locator('form button').click();
    const select = page.locator('select', { has: page.locator('option', { hasText: choice }) });
    await select.selectOption({ label: choice });
    await page.getByRole('img', { name: new RegExp(choice) }).waitFor();

    const rows = page.locator('details tbody tr');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([
        expect.stringMatching(new RegExp(`${none}.*0[.,]5`)) as string,
        expect.stringMatching(/озеро.*0[.,]25/) as string,
      ]);
    await page.close();
  });
});
