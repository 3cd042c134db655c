import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openPage, startChromium } from '../support/chromium.ts';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';

let gateway: GatewayClient;
let browser: Browser;
beforeAll(async () => {
  if (chromiumPath === undefined) return;
  gateway = await commonGateway();
  browser = await startChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
});

/** Returns a page for another origin, which writes the results into its own document. */
const foreignPage = (baseUrl: string, key: string) => `<!doctype html><pre id="said"></pre><script type="module">
  const said = (what) => (document.getElementById('said').textContent += what + '\\n');
  try {
    const models = await (await fetch('${baseUrl}/models')).json();
    said('models ' + models.data.length);
    const answer = await fetch('${baseUrl}/messages', {
      method: 'POST',
      headers: { 'x-api-key': '${key}', 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'sandbox/claude', max_tokens: 50, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    said('generation ' + answer.headers.get('x-generation-id'));
    const text = await answer.text();
    said('ended ' + text.includes('message_stop'));
    const refused = await fetch('${baseUrl}/nowhere', { method: 'POST', headers: { authorization: 'Bearer x' } });
    said('refused ' + refused.status);
  } catch (error) {
    said('failed ' + error);
  }
  said('done');
</script>`;

describe.skipIf(chromiumPath === undefined)('a page of another origin, in a browser', () => {
  it('lists models, streams a message, and reads a refusal', async () => {
    const html = foreignPage(gateway.baseUrl, gateway.key);
    const server = await listen(
      createServer((_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
      ),
    );
    const page = await openPage(browser);

    await page.goto(server.url);
    await page.getByText('done').waitFor();

    const said = await page.locator('#said').textContent();
    expect(said).toMatch(/models \d+/);
    expect(said).toMatch(/generation gen-/);
    expect(said).toContain('ended true');
    expect(said).toContain('refused 404');
    await page.close();
    await server.stop();
  });
});

/** Returns the page, errors of the browser, and requests to other origins. */
async function openReference(colorScheme: 'light' | 'dark') {
  const page = await openPage(browser, { viewport: { width: 1280, height: 800 }, colorScheme });
  const complaints: string[] = [];
  const { origin } = new URL(gateway.baseUrl);
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) complaints.push(request.url());
  });
  await page.goto(`${gateway.baseUrl}/docs`);
  await page.getByRole('heading', { name: 'First request' }).first().waitFor();
  return { page, complaints };
}

const background = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>;

describe.skipIf(chromiumPath === undefined)('the API reference, in a browser', () => {
  // Drawing the reference takes several seconds of CPU time, so the tests share these pages.
  let inLight: Awaited<ReturnType<typeof openReference>>;
  let inDark: Awaited<ReturnType<typeof openReference>>;
  beforeAll(async () => {
    inLight = await openReference('light');
    inDark = await openReference('dark');
  }, 180_000);

  it('fits telephones, tablets and desktops, and is dark if the reader prefers that', async () => {
    const { page, complaints } = inLight;
    const excess = [];
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const shown = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      excess.push(Math.max(0, shown - width));
    }

    expect(excess).toEqual([0, 0, 0]);
    expect(await background(inDark.page)).not.toBe(await background(page));
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('finds a route, and sends a request that the gateway answers', async () => {
    const { page, complaints } = inDark;

    const search = page.getByRole('button', { name: /Search/ });
    await search.first().click();
    await page.keyboard.type('health');
    const result = { name: /Whether the gateway answers/ };
    const found = page.getByRole('option', result).or(page.getByRole('link', result));
    await found.first().click();
    await page.getByRole('button', { name: 'Test Request (get /health)' }).click();
    const answered = page.waitForResponse(`${gateway.baseUrl}/health`);
    await page.getByRole('button', { name: /Send get request/ }).click();

    expect(await (await answered).json()).toEqual({ status: 'ok' });
    expect(complaints).toEqual([]);
    await page.close();
  });
});
