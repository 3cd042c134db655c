import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { chromiumPath, openPage, startChromium } from '../support/chromium.ts';
import { reusedPages, type ReusedPages } from '../support/reused-pages.ts';
import { firstPaintOf } from '../support/first-paint.ts';
import { HOUR_MS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import { writePoint } from '../../lambdas/store/statistics/endpoint-history.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { copyGeneration } from '../support/many-generations.ts';
import { eventually } from '../support/eventually.ts';

let gateway: RunningGateway;
let browser: Browser | undefined;
let pages: ReusedPages;
beforeAll(async () => {
  gateway = await startGateway();
  if (chromiumPath === undefined) return;
  browser = await startChromium();
  pages = reusedPages(browser);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

const TIMES = { timeout: 300_000 };

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Clients for which the playground shows code, and words that the code must contain. */
const clientsInCode: [client: string, words: string[]][] = [
  ['curl', ['/v1/messages', 'web_search_20250305', 'adaptive', 'image/png']],
  ['Anthropic SDK', ['messages.stream', 'web_search_20250305', 'adaptive', 'image/png']],
  ['OpenAI SDK', ['chat.completions', 'web_search', 'reasoning_effort', 'data:image/png;base64,']],
  ['AI SDK', ['streamText', 'webSearch_20250305', 'adaptive', 'image/png']],
];

/** Open page. `complaints` has the errors that the browser has logged, and requests to other origins. */
interface Visit {
  page: Page;
  complaints: string[];
}

async function visit(
  options: { colorScheme?: 'light' | 'dark'; locale?: string; width?: number } = {},
): Promise<Visit> {
  const { colorScheme = 'light', locale = 'en-US', width = 1280 } = options;
  const page = await pages.take({ viewport: { width, height: 900 }, colorScheme, locale });
  const complaints: string[] = [];
  const { origin } = new URL(gateway.baseUrl);
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // The address of a file that exists only in the page begins with `blob:`.
  page.on('request', (request) => {
    if (
      !request
        .url()
        .replace(/^blob:/, '')
        .startsWith(origin)
    )
      complaints.push(request.url());
  });
  onTestFailed(async () => {
    const shown = await page.locator('body').innerText({ timeout: 5_000 });
    process.stderr.write(`The page of the failed test shows:\n${shown}\nErrors: ${complaints.join('\n')}\n`);
  });
  await page.goto(`${gateway.baseUrl}/console`);
  return { page, complaints };
}

async function signIn(page: Page): Promise<void> {
  await page.locator('input[type=password]').fill(gateway.managementKey);
  await page.locator('form button').click();
  await page.locator('nav').waitFor();
}

async function open(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.locator('main h1').waitFor();
}

async function createKey(page: Page, name: string, limit: string): Promise<string> {
  await open(page, '#/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Limit, ₽').fill(limit);
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = await dialog.locator('pre').textContent();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  return secret!;
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe('the console page', () => {
  it('runs only files of this gateway, and has no inline script or style', async () => {
    const page = await get(gateway, '/console');
    const html = await page.text();
    const policy = page.headers.get('content-security-policy')!;

    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/https?:|<style| style=|<script>/);
  });

  it.each([
    ['app.js', 'text/javascript; charset=utf-8'],
    ['app.css', 'text/css; charset=utf-8'],
  ])('has %s, which a browser caches', async (file, type) => {
    const first = await get(gateway, `/console/${file}`);
    const etag = first.headers.get('etag')!;
    const again = await fetch(`${gateway.baseUrl}/console/${file}`, { headers: { 'if-none-match': etag } });

    expect([first.status, first.headers.get('content-type')]).toEqual([200, type]);
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('is the target of a redirect for browsers from /console', async () => {
    const { origin } = new URL(gateway.baseUrl);
    const response = await fetch(`${origin}/console`, { headers: { accept: 'text/html' }, redirect: 'manual' });

    expect([response.status, response.headers.get('location')]).toEqual([302, '/v1/console']);
  });

  it('has no other file', async () => {
    expect((await get(gateway, '/console/main.tsx')).status).toBe(404);
  });
});

const fileOf = ({ name }: { name: string }) => name.split('/').at(-1);

describe.skipIf(chromiumPath === undefined)('the first paint of the console', () => {
  it('waits only for its own script and styles, which are small', TIMES, async () => {
    const page = await openPage(browser!);
    const paintedAtMs = await firstPaintOf(page, `${gateway.baseUrl}/console`);

    const resources = (await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name, startTime, renderBlockingStatus, encodedBodySize }) =>
        ({ name, startTime, renderBlockingStatus, encodedBodySize }))`,
    )) as { name: string; startTime: number; renderBlockingStatus: string; encodedBodySize: number }[];

    const before = resources.filter(({ startTime }) => startTime < paintedAtMs);
    expect(before.map(fileOf).toSorted()).toEqual(['app.css', 'app.js']);
    const blocking = before.filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking');
    expect(blocking.map(fileOf)).toEqual(['app.css']);
    expect(before.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThan(150 * 1024);
    await pages.giveBack(page);
  });
});

describe.skipIf(chromiumPath === undefined)('the sign-in of the console', () => {
  it('reports a wrong key, keeps a valid key after a reload, and removes it after signing out', TIMES, async () => {
    const { page, complaints } = await visit();
    await page.getByLabel('Management key').fill('mk-mg-v1-nobody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is unknown').waitFor();
    await page.getByLabel('Management key').fill(gateway.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This is an inference key').waitFor();
    await signIn(page);
    await page.reload();
    await page.locator('nav').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.reload();

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept).not.toContain('mk-mg-v1');
    expect(complaints).toEqual([]);
    await pages.giveBack(page);
  });

  it('follows a link at once, as soon as the navigation appears', TIMES, async () => {
    const { page } = await visit();
    await page.evaluate(`new MutationObserver((_, watcher) => {
      if (document.querySelector('nav') === null) return;
      watcher.disconnect();
      location.hash = '#/keys';
    }).observe(document.body, { childList: true, subtree: true })`);

    await signIn(page);

    await page.getByRole('button', { name: 'New key' }).waitFor();
    await pages.giveBack(page);
  });
});

describe.skipIf(chromiumPath === undefined)('an account in the console', () => {
  it('creates a key, spends with it, and shows the request, its price and the remaining limit', TIMES, async () => {
    const { page, complaints } = await visit();
    await signIn(page);
    const secret = await createKey(page, 'Journey', '50');
    await expect.poll(() => rowOf(page, 'Journey').textContent()).toContain('50');

    await open(page, '#/playground');
    await page.getByLabel('Inference key').fill(secret);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill('Hello\n@sandbox think tokens=12 delay=5');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: /Show this generation/ }).waitFor();
    const cost = page.locator('section', { hasText: 'Answer' }).locator('.facts div', { hasText: 'Cost' });
    await cost.waitFor();
    const told = await cost.locator('dd').textContent();
    await page.getByRole('link', { name: /Show this generation/ }).click();

    await page.getByText('the lines add up to the charge').waitFor();
    await expect.poll(() => page.locator('.facts div', { hasText: 'Cost' }).locator('dd').textContent()).toBe(told);
    await expect.poll(() => page.getByRole('row', { name: /tokens written/ }).count()).toBeGreaterThan(0);
    await open(page, '#/generations');
    await rowOf(page, 'sandbox/claude').first().waitFor();
    await open(page, '#/keys');
    const spent = told!.replace(/[^\d.]/g, '');
    await expect.poll(() => rowOf(page, 'Journey').textContent()).toContain(spent);
    await open(page, '#/');
    const ofModel = page.getByRole('table', { name: 'Models this month' }).getByRole('row', { name: 'sandbox/claude' });
    const { body } = await manage(gateway, 'GET', '/activity/models');
    const counted = (body.data as { model: string; usage_daily: number }[]).find(
      ({ model }) => model === 'sandbox/claude',
    )!;
    await expect
      .poll(async () => (await ofModel.textContent())!.replace(/[\u202f\u00a0]/g, ''))
      .toContain(`${counted.usage_daily}₽`);
    expect(complaints).toEqual([]);
    await pages.giveBack(page);
  });

  it(
    'starts with an available model, or that of its address, and reports if no model can be called',
    TIMES,
    async () => {
      const { page } = await visit();
      let callable = 'sandbox/gpt';
      await page.route('**/v1/models*', async (route) => {
        const response = await route.fetch();
        const { data, ...more } = (await response.json()) as { data: { id: string; available: boolean | null }[] };
        const unlike = data.map((model) => ({ ...model, available: model.id === callable }));
        await route.fulfill({ response, json: { ...more, data: unlike } });
      });
      await signIn(page);
      const secret = await createKey(page, 'First model', '50');
      await open(page, '#/playground');
      await page.getByLabel('Inference key').fill(secret);
      await page.getByRole('button', { name: 'Use this key' }).click();

      await expect.poll(() => page.getByLabel('Model').inputValue()).toBe('sandbox/gpt');
      await open(page, '#/playground?model=sandbox/gemini');
      await page.reload();
      await page.getByLabel('Prompt', { exact: true }).waitFor();
      await expect.poll(() => page.getByLabel('Model').inputValue()).toBe('sandbox/gemini');
      const none = 'No model can be called yet';
      await expect.poll(() => page.getByText(none).count()).toBe(0);
      callable = 'nobody/nothing';
      await page.reload();
      await page.getByText(none).waitFor();
      // After a reload, the page may still request the list of models.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await pages.giveBack(page);
    },
  );

  it('makes an image and speech, and transcribes a recording', TIMES, async () => {
    const { page, complaints } = await visit();
    await signIn(page);
    const secret = await createKey(page, 'Media', '500');
    await open(page, '#/playground');
    await page.getByLabel('Inference key').fill(secret);
    await page.getByRole('button', { name: 'Use this key' }).click();
    const send = async (kind: string, model: string) => {
      await page.getByLabel('Output').selectOption(kind);
      await page.getByLabel('Model', { exact: true }).fill(model);
      return page.getByRole('button', { name: 'Send' });
    };

    const draw = await send('image', 'sandbox/painter');
    await page.getByLabel('Description of the image').fill('A fox');
    await draw.click();
    const picture = page.getByRole('img', { name: 'A fox' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0);

    const speak = await send('speech', 'sandbox/speaker');
    await page.getByLabel('Text to speak').fill('A fox in the snow');
    await speak.click();
    await expect.poll(() => page.getByRole('link', { name: 'Download' }).getAttribute('href')).toMatch(/^blob:/);

    const body = { model: 'sandbox/speaker', input: 'A fox in the snow', response_format: 'wav' };
    const spoken = await post(gateway, '/audio/speech', body, { 'x-api-key': secret });
    const transcribe = await send('transcription', 'sandbox/scribe');
    const buffer = Buffer.from(await spoken.arrayBuffer());
    await page.getByLabel('Recording').setInputFiles({ name: 'a.wav', mimeType: 'audio/wav', buffer });
    await transcribe.click();
    await page.locator('.answer').getByText('A fox in the snow').waitFor();
    await page.getByRole('link', { name: /Show this generation/ }).click();
    await page.getByText('the lines add up to the charge').waitFor();
    expect(complaints).toEqual([]);
    await pages.giveBack(page);
  });

  it(
    'streams thinking, a search, tool calls and an answer about a picture, with the code for each client',
    TIMES,
    async () => {
      const { page, complaints } = await visit();
      await signIn(page);
      const secret = await createKey(page, 'Everything', '500');
      await open(page, '#/playground?model=sandbox/claude');
      await page.getByLabel('Inference key').fill(secret);
      await page.getByRole('button', { name: 'Use this key' }).click();
      await page.getByLabel('Web search').check();
      await page.getByLabel('Thinking').check();
      await page.getByText('System prompt, tools, image').click();
      await page.getByLabel('Image').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
      await page.getByText('✓').waitFor();
      await page.getByLabel('Prompt', { exact: true }).fill('How tall is the tower?\n@sandbox think search delay=5');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('link', { name: /Show this generation/ }).waitFor();
      const cost = page.locator('section', { hasText: 'Answer' }).locator('.facts div', { hasText: 'Cost' });
      await cost.waitFor();

      const answer = page.locator('.answer');
      await expect
        .poll(() => answer.locator('summary').allTextContents())
        .toEqual(expect.arrayContaining(['Thinking', 'Search results']));
      await expect.poll(() => answer.textContent()).toContain('Call: web_search');
      await expect.poll(() => answer.locator('.text:not(.quiet)').first().textContent()).toMatch(/\w/);
      await expect.poll(async () => (await cost.locator('dd').textContent())!).toMatch(/\d/);
      for (const [client, words] of clientsInCode) {
        await page.getByLabel('For', { exact: true }).selectOption(client);
        const code = page.locator('section', { hasText: 'Code' }).last().locator('pre');
        for (const word of ['sandbox/claude', ...words]) await expect.poll(() => code.textContent()).toContain(word);
      }

      await page.getByLabel('Web search').uncheck();
      const tool = {
        name: 'weather',
        input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      };
      await page.getByLabel('Tools (JSON)').fill(JSON.stringify([tool]));
      await page.getByLabel('Prompt', { exact: true }).fill('Is it raining?\n@sandbox tool delay=5');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('tool_use', { exact: true }).waitFor();
      await expect.poll(() => answer.locator('pre').textContent()).toMatch(/Call: weather \{.*city/);
      expect(complaints).toEqual([]);
      await pages.giveBack(page);
    },
  );

  it('sends a prompt that was typed before the list of models arrived', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    const secret = await createKey(page, 'Early', '50');
    const list = Promise.withResolvers<void>();
    await page.route('**/v1/models*', (route) => list.promise.then(() => route.continue()));
    await open(page, '#/playground');
    await page.getByLabel('Inference key').fill(secret);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill('Hello\n@sandbox tokens=3');
    const send = page.getByRole('button', { name: 'Send' });

    await expect.poll(() => send.isDisabled()).toBe(true);
    list.resolve();
    await send.click();

    await page.getByRole('link', { name: /Show this generation/ }).waitFor();
    await pages.giveBack(page);
  });

  it('shows a record that takes longer to read than the interval between reads', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    const answer = await post(gateway, '/messages', { model: 'sandbox/claude', messages: [said('Hi', 'delay=0')] });
    const { id } = (await answer.json()) as { id: string };
    await finalGeneration(gateway, id);
    await page.route(`**/v1/generations/${id}`, async (route) => {
      await sleep(3_000);
      // If the page has aborted the request in the meantime, `continue` fails.
      await route.continue().catch(() => undefined);
    });

    await open(page, `#/generations/${id}`);

    await page.getByText('the lines add up to the charge').waitFor();
    await pages.giveBack(page);
  });

  it('stops a running answer', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    const secret = await createKey(page, 'Stopped', '50');
    await open(page, '#/playground');
    await page.getByLabel('Inference key').fill(secret);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill('Hello\n@sandbox tokens=900 delay=100');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.answer .text').waitFor();

    await page.getByRole('button', { name: 'Stop' }).click();

    await page.getByText('The output so far is charged').waitFor();
    await pages.giveBack(page);
  });

  it(
    'shows the spending of a member this week, the models, the remaining amount, and the reason of the last refusal',
    TIMES,
    async () => {
      const { page, complaints } = await visit();
      await manage(gateway, 'POST', '/workspaces/default/members/add', { user_ids: ['zoe'] });
      const { body } = await manage(gateway, 'POST', '/keys', { name: 'Hers', member_id: 'zoe', limit: 1 });
      const hers = { ...gateway, key: (body as { key: string }).key };
      const ask = { model: 'sandbox/gpt', max_tokens: 20, messages: [said('Hi', 'delay=0')] };
      const { id } = (await (await post(hers, '/messages', ask)).json()) as { id: string };
      const { total_cost: cost } = await finalGeneration(hers, id);
      await post(hers, '/messages', { ...ask, model: 'sandbox/claude', max_tokens: 30_000 });
      await signIn(page);

      await page.getByLabel('By').last().selectOption('member');
      await page.getByRole('link', { name: 'Default / zoe' }).last().click();
      await page.getByRole('heading', { name: 'Member: zoe' }).waitFor();

      await rowOf(page, 'sandbox/gpt').first().waitFor();
      const text = () => page.locator('main').textContent();
      await expect.poll(text).toContain(`This week${String(cost)}`);
      const table = page.getByRole('table', { name: 'This week by model' });
      await expect.poll(() => table.textContent()).toContain(`sandbox/gpt1${String(cost)}`);
      await expect.poll(() => page.getByRole('table', { name: 'Limits' }).textContent()).toContain('Hers');
      await rowOf(page, 'refused 402').getByRole('link').first().click();
      await page.getByText('Left now').waitFor();
      await expect.poll(() => page.locator('main').textContent()).toContain('“Hers”, 1');
      const then = page.locator('.notice dl.facts');
      await expect
        .poll(() => then.locator('div', { hasText: 'Spent' }).locator('dd').textContent())
        .toContain(String(cost));
      expect(complaints).toEqual([]);
      await pages.giveBack(page);
    },
  );

  it('continues a search for rare requests by itself to the end', TIMES, async () => {
    const { page } = await visit();
    const ask = { model: 'sandbox/gpt', max_tokens: 5, messages: [said('Hi', 'delay=0')] };
    const rare = (await (await post(gateway, '/messages', ask)).json()) as { id: string };
    const many = await post(gateway, '/messages', { ...ask, model: 'sandbox/gemini' });
    const { id } = (await many.json()) as { id: string };
    await finalGeneration(gateway, id);
    await finalGeneration(gateway, rare.id);
    // All copies are newer than the request that the filter must find.
    const of = { accountId: gateway.accountId, id, count: 900, endMs: Date.now() + 1_000, spanMs: 900 };
    await copyGeneration(gateway.table(), of);
    await signIn(page);

    await open(page, '#/generations?model=sandbox/gpt');

    await page
      .getByRole('link', { name: /\d\d:\d\d/ })
      .first()
      .waitFor();
    await expect
      .poll(() => page.locator('tr', { has: page.locator(`a[href="#/generations/${rare.id}"]`) }).count())
      .toBe(1);
    await open(page, '#/generations?model=sandbox/nobody');
    await page.getByText('No requests match.').waitFor();
    await pages.giveBack(page);
  });

  it('shows a request in one line on a desktop and in two on a telephone, under its day', TIMES, async () => {
    const ask = { model: 'sandbox/gpt', max_tokens: 5, messages: [said('Hi', 'delay=0')] };
    const long = await manage(gateway, 'POST', '/keys', {
      name: 'A support bot in staging and production',
      limit: 0.001,
    });
    await post(gateway, '/messages', ask);
    await post({ ...gateway, key: (long.body as { key: string }).key }, '/messages', ask);

    for (const [width, locale, most] of [
      [1440, 'en-US', 32],
      [1440, 'ru-RU', 32],
      [390, 'en-US', 72],
      [390, 'ru-RU', 72],
    ] as const) {
      const { page } = await visit({ width, locale });
      await signIn(page);
      await open(page, '#/generations');
      await page.locator('tbody td').first().waitFor();

      const heights = (await page.evaluate(
        `[...document.querySelectorAll('tbody tr:not(.group)')].map((row) => row.offsetHeight)`,
      )) as number[];
      expect(Math.max(...heights), `${width} ${locale}`).toBeLessThanOrEqual(most);
      await expect.poll(() => page.locator('tr.group').first().textContent()).toMatch(/20\d\d.*UTC$/);
      await pages.giveBack(page);
    }
  });

  it('returns to the same row of a list, although newer requests have arrived', TIMES, async () => {
    const ask = { model: 'sandbox/gemini', max_tokens: 5, messages: [said('Hi', 'delay=0')] };
    const copied = async (endMs: number) => {
      const { id } = (await (await post(gateway, '/messages', ask)).json()) as { id: string };
      await finalGeneration(gateway, id);
      await copyGeneration(gateway.table(), { accountId: gateway.accountId, id, count: 120, endMs, spanMs: 120 });
    };
    await copied(Date.now() + 1_000);
    const { page } = await visit();
    await signIn(page);
    await open(page, '#/generations?model=sandbox/gemini');
    await page.getByRole('link', { name: 'Older' }).click();
    const row = page.locator('tbody tr:not(.group)').nth(40);
    await row.waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.evaluate('scrollTo(0, 800)');
    const link = row.getByRole('link').first();
    const href = await link.getAttribute('href');

    await link.click();
    await page.getByRole('heading', { level: 1, name: /^gen-/ }).waitFor();
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await copied(Date.now() + 3_000);
    await page.goBack();

    await expect.poll(() => page.evaluate('scrollY')).toBe(800);
    await expect.poll(() => row.getByRole('link').first().getAttribute('href')).toBe(href);
    await pages.giveBack(page);
  });

  it('shows the use limits of a key, and gives the key a new secret', TIMES, async () => {
    const { page } = await visit();
    const limits = { rpm_limit: 60, parallel_limit: 4, required_tags: { project: ['lake'], team: null } };
    const { body } = await manage(gateway, 'POST', '/keys', { name: 'Rotated', ...limits });
    await signIn(page);
    await open(page, '#/keys');
    await expect
      .poll(() => rowOf(page, 'Rotated').textContent())
      .toMatch(/60 requests\/min.*4 at once.*tag project: lake.*tag team: any value/);

    await page.getByRole('button', { name: 'New secret: Rotated' }).click();
    await page.getByLabel('The old secret works for').selectOption('not any more');
    await page.getByRole('button', { name: 'Create' }).click();
    const made = await page.getByText(/^sk-mg-v1-[0-9a-f]{64}$/).textContent();

    expect((await get(gateway, '/key', made!)).status).toBe(200);
    await expect.poll(async () => (await get(gateway, '/key', body.key as string)).status).toBe(401);
    await pages.giveBack(page);
  });

  it('lists the keys of all workspaces, and finds one by its name or its first characters', TIMES, async () => {
    const { page } = await visit();
    await manage(gateway, 'POST', '/workspaces', { name: 'Field research', slug: 'field' });
    const { body } = await manage(gateway, 'POST', '/keys', { name: 'Afield', workspace_id: 'field', limit: 3 });
    const { key } = body as { key: string };
    await signIn(page);
    await createKey(page, 'At home', '7');
    await open(page, '#/keys');
    await rowOf(page, 'At home').waitFor();
    await expect.poll(() => rowOf(page, 'Afield').textContent()).toContain('Field research');

    await page.getByLabel('Search').fill(key);
    await rowOf(page, 'At home').waitFor({ state: 'detached' });

    await expect.poll(() => rowOf(page, 'Afield').count()).toBe(1);
    await page.getByLabel('Search').fill('at HOME');
    await rowOf(page, 'At home').waitFor();
    await expect.poll(() => rowOf(page, 'Afield').count()).toBe(0);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Workspace').selectOption('Field research');
    await rowOf(page, 'Afield').waitFor();
    await expect.poll(() => rowOf(page, 'At home').count()).toBe(0);
    await pages.giveBack(page);
  });

  it('shows the health of an endpoint hour by hour, as the API returns it', TIMES, async () => {
    const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    const point = { hourMs, uptimePercent: 97.25, latencyMs: 312.5, throughput: null };
    await writePoint(gateway.table(), 'sandbox/claude', point);
    await writePoint(gateway.table(), 'sandbox/claude', { ...point, hourMs: hourMs - 3 * HOUR_MS, throughput: 80 });
    const path = '/models/sandbox/claude/endpoints';
    const history = async (query: string) => {
      const { data } = (await (await get(gateway, `${path}${query}`)).json()) as { data: { endpoints: object[] } };
      return data.endpoints;
    };
    expect((await history(''))[0]).not.toHaveProperty('history');
    expect(await history('?history=true')).toMatchObject([
      {
        history: [
          { hour: new Date(hourMs - 3 * HOUR_MS).toISOString(), throughput: 80 },
          { hour: new Date(hourMs).toISOString(), uptime: 97.25, latency: 312.5, throughput: null },
        ],
      },
    ]);

    const { page, complaints } = await visit();
    await signIn(page);
    await open(page, '#/models/sandbox%2Fclaude');
    await page.getByRole('img', { name: 'Last thirty days by hour: Uptime, %' }).waitFor();
    await page.getByLabel('Show').selectOption('latency');
    await page.getByRole('img', { name: 'Last thirty days by hour: Latency, ms' }).waitFor();
    await page.getByText('Table of these days').click();
    const rows = page.getByRole('table', { name: 'Last thirty days by hour' }).getByRole('row');
    await expect.poll(() => rows.nth(1).textContent()).toContain('97.25');
    await expect.poll(() => rows.count()).toBe(3);
    expect(complaints).toEqual([]);
    await pages.giveBack(page);
  });

  it('estimates a prompt, and shows the remaining amount of each limit', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    const secret = await createKey(page, 'Estimating', '3');
    await open(page, '#/models/sandbox%2Fclaude');
    await page.getByLabel('Prompt', { exact: true }).fill('Hello');
    await page.getByLabel('Inference key').fill(secret);
    await page.getByLabel('Maximum answer length').fill('30000');

    await page.getByRole('button', { name: 'Estimate' }).click();

    await page.getByText('The request would be refused').waitFor();
    const text = () => page.locator('main').textContent();
    await expect.poll(text).toMatch(/would be sent if its answer were limited to [\d\u202f]+ tokens/);
    await expect.poll(text).toMatch(/key limit, in total: Left 3\s₽ insufficient/);
    await pages.giveBack(page);
  });

  it('explains a refusal', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    const secret = await createKey(page, 'Poor', '1');
    const ask = { model: 'sandbox/claude', max_tokens: 30_000, messages: [said('Hi')] };
    const refused = await post({ ...gateway, key: secret }, '/messages', ask);
    const id = refused.headers.get('x-generation-id')!;
    await eventually(async () => {
      expect((await get(gateway, `/generations/${id}`, gateway.managementKey)).status).toBe(200);
    });

    await open(page, `#/generations/${id}`);

    await page.getByRole('heading', { name: 'Cause of the refusal' }).waitFor();
    const text = () => page.locator('main').textContent();
    // A limit of 1 RUB is too low for this request, so waiting would not help.
    await expect
      .poll(text)
      .toMatch(/could have cost 6\.\d+\s₽, but only 1\s₽ was left \(key limit\): 5\.\d+\s₽ was missing/);
    await expect.poll(text).toContain('more than the whole limit');
    await open(page, '#/generations?status=refused');
    await rowOf(page, 'Poor').getByText('refused 402: key limit').click();
    await page.getByRole('heading', { name: id }).waitFor();
    await pages.giveBack(page);
  });

  it('explains a failure of a provider, with the remedy', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    const messages = [said('@sandbox error=529')];
    const failed = await post(gateway, '/messages', { model: 'sandbox/claude', max_tokens: 100, messages, seed: 7 });
    expect(failed.status).toBe(529);

    await open(page, `#/generations/${failed.headers.get('x-generation-id')}`);

    await page.getByRole('heading', { name: 'Cause of the failure' }).waitFor();
    const text = () => page.locator('section.notice').textContent();
    await expect.poll(text).toContain('The provider had too many requests.');
    await expect.poll(text).toContain('HTTP 529, provider_overloaded');
    await expect.poll(() => page.getByText('failed before').count()).toBe(1);
    await expect.poll(() => page.locator('.facts').textContent()).toContain('Fields left outseed');
    await pages.giveBack(page);
  });

  it('links a refusal by the budget of a member to the page where it is changed', TIMES, async () => {
    const { page } = await visit();
    await manage(gateway, 'POST', '/workspaces/default/members/add', { user_ids: ['mia'] });
    // The budget is slightly higher than the first request's hold, which covers only the first step of its answer.
    await manage(gateway, 'PUT', '/workspaces/default/members/mia/budgets/daily', { limit_rub: 6.17 });
    const { body } = await manage(gateway, 'POST', '/keys', { name: 'Of Mia', member_id: 'mia' });
    const hers = { ...gateway, key: (body as { key: string }).key };
    const ask = { model: 'sandbox/claude', max_tokens: 10_000, messages: [said('Hi', 'delay=0')] };
    const spent = (await (await post(hers, '/messages', ask)).json()) as { id: string };
    await finalGeneration(hers, spent.id);
    const id = (await post(hers, '/messages', { ...ask, max_tokens: 30_000 })).headers.get('x-generation-id')!;
    await signIn(page);

    await expect.poll(async () => (await get(gateway, `/generations/${id}`, gateway.managementKey)).status).toBe(200);
    await open(page, `#/generations/${id}`);
    const link = page.getByRole('link', { name: 'member budget' });
    await link.waitFor();

    await expect.poll(() => page.locator('main').textContent()).toMatch(/wait until the limit resets on .*\sUTC/);
    await link.click();
    await page.getByRole('dialog', { name: 'mia' }).getByLabel('per day, ₽').waitFor();
    await pages.giveBack(page);
  });

  it('reports a concurrent change of a key, and keeps the typed values', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    await createKey(page, 'Shared', '10');
    const { data } = (await (await get(gateway, '/keys', gateway.managementKey)).json()) as {
      data: { name: string; hash: string }[];
    };
    const { hash } = data.find(({ name }) => name === 'Shared')!;
    await page.getByRole('button', { name: 'Edit: Shared' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Limit, ₽').fill('12.5');
    await fetch(`${gateway.baseUrl}/keys/${hash}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ limit: 99 }),
    });

    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Someone else has changed this').waitFor();

    await expect.poll(() => dialog.getByRole('alert').textContent()).toContain('now stored: 99, your value: 12.5');
    await expect.poll(() => dialog.getByLabel('Limit, ₽').inputValue()).toBe('12.5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await (await get(gateway, `/keys/${hash}`, gateway.managementKey)).json()) as {
      data: { limit: number };
    };
    expect(saved.data.limit).toBe(12.5);
    await pages.giveBack(page);
  });

  it('sets a budget, and shows the remaining amount', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    await open(page, `#/workspaces/${gateway.workspaceId}`);
    await page.getByLabel('per week, ₽').fill('1 500,25');
    await page.getByLabel('per month, ₽').fill('7000');

    await page.getByRole('button', { name: 'Save: per week' }).click();
    await page.getByText(/Spent: .* Left: /).waitFor();
    await expect.poll(() => page.getByLabel('per month, ₽').inputValue()).toBe('7000');
    await page.getByRole('button', { name: 'Save: per month' }).click();
    await expect.poll(() => page.getByText(/Spent: .* Left: /).count()).toBe(2);

    await open(page, '#/overview');
    const row = rowOf(page, 'per week').first();
    await row.waitFor();
    await expect.poll(async () => (await row.textContent())!.replaceAll('\u202f', '')).toContain('1500.25');
    await pages.giveBack(page);
  });

  it('sets alerts, and shows which value is wrong', TIMES, async () => {
    const { page } = await visit();
    await signIn(page);
    await open(page, '#/alerts');
    await page.getByLabel('Thresholds, %').fill('40 120');
    await page.getByLabel('E-mail').fill('team@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('thresholds.1: must be a whole number from 1 to 100').waitFor();
    await page.getByLabel('Thresholds, %').fill('90, 40');
    await page.getByLabel('Low balance, ₽').fill('1 000,5');
    await page.getByRole('button', { name: 'Save' }).click();

    await eventually(async () => {
      const { body } = await manage(gateway, 'GET', '/alerts');
      expect(body.data).toMatchObject({ thresholds: [40, 90], email: 'team@example.com', low_balance_rub: 1000.5 });
    });
    await page.getByText('No notice was sent in the last 30 days.').waitFor();
    await manage(gateway, 'PUT', '/alerts', {});
    await pages.giveBack(page);
  });

  it('sets and removes the budget of a tag, and shows it with the other limits', TIMES, async () => {
    const { page, complaints } = await visit();
    await signIn(page);
    await open(page, '#/tags');
    await page.getByLabel('Tags in reports').fill('project team');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Tag', { exact: true }).fill('project');
    await page.getByLabel('Value').fill('lake & river');
    await page.getByLabel('Limit, ₽').fill('12,5');
    await page.getByRole('button', { name: 'Set budget' }).click();
    await page.getByRole('link', { name: 'project=lake & river' }).waitFor();

    await open(page, '#/overview');
    await rowOf(page, 'project=lake & river').waitFor();
    await open(page, '#/tags');
    await page.getByRole('button', { name: 'Delete: project=lake & river' }).click();

    await page.getByText('No tag has a budget.').waitFor();
    await expect.poll(() => page.getByLabel('Tags in reports').inputValue()).toBe('project, team');
    expect(complaints).toEqual([]);
    await pages.giveBack(page);
  });
});

const places = [
  '#/overview',
  '#/generations',
  '#/keys',
  '#/workspaces',
  '#/workspaces/default',
  '#/tags',
  '#/alerts',
  '#/models',
  '#/members/axe?workspace=default',
  '#/models/sandbox%2Fclaude',
  '#/models?compare=sandbox/claude,sandbox/gpt',
  '#/playground',
];

/** Source of axe. Its types would add browser types to all code that runs in Node, so it is not imported. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** Returns the faults that axe finds, and the excess width if the page is wider than its window. */
async function findingsOn(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  // Selectors and results of other types take most of the time.
  const { violations } = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], selectors: false })`,
  )) as AxeResults;
  const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  const excess = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  return excess > 0 ? [...found, `${excess} pixels too wide`] : found;
}

describe.skipIf(chromiumPath === undefined).each([
  { colorScheme: 'light', locale: 'en-US', width: 1280 },
  { colorScheme: 'dark', locale: 'ru-RU', width: 390 },
  { colorScheme: 'light', locale: 'ru-RU', width: 390 },
  { colorScheme: 'dark', locale: 'en-US', width: 1280 },
] as const)('the console in $colorScheme, $locale, $width pixels wide', (options) => {
  it('is readable and usable on each page', TIMES, async () => {
    const { page, complaints } = await visit(options);
    const findings = { signIn: await findingsOn(page) } as Record<string, string[]>;
    await signIn(page);
    for (const place of places) {
      await open(page, place);
      await page.waitForLoadState('networkidle');
      findings[place] = await findingsOn(page);
    }

    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
    expect(await page.evaluate('document.documentElement.lang')).toBe(options.locale.slice(0, 2));
    expect(complaints).toEqual([]);
    await pages.giveBack(page);
  });
});
