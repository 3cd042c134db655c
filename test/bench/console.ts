/**
 * Measures the speed of the console: its routes for an account with many generations in a day, and its first paint in
 * Chromium.
 */
import { once } from 'node:events';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { chromiumPath, startChromium } from '../support/chromium.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { copyGeneration } from '../support/many-generations.ts';
import { firstPaintOf } from '../support/first-paint.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { median } from './load.ts';

const REQUESTS = 5;
const DEFAULT_GENERATIONS = 100_000;

const usage = `Usage: npm run bench:console [-- <generations>]

Measures the console of an account with this number of generations in a day (default: ${DEFAULT_GENERATIONS}).`;
const { positionals } = toolArguments(usage, { allowPositionals: true });
const count = Number(positionals[0] ?? DEFAULT_GENERATIONS);
/** Time of the latest copied generation. The generations are spread over the current UTC day. */
const nowMs = Date.now();
const today = utcDate(nowMs);

const gateway = await startGateway();
try {
  process.stderr.write(`writing ${count} generations\n`);
  const id = await seed();
  const figures: Record<string, number> = {};
  for (const [name, path] of Object.entries(pathsWith(id))) figures[name] = await medianMs(gateway, path);
  if (chromiumPath !== undefined) Object.assign(figures, await firstPaints());
  for (const [name, ms] of Object.entries(figures)) process.stdout.write(`${name.padEnd(44)}${ms.toFixed(0)} ms\n`);
} finally {
  // `stop` would check so many records that it would take longer than the measurements.
  gateway.process.kill('SIGTERM');
  await once(gateway.process, 'exit');
  await gateway.kill();
}

/** Creates the generations, and returns the id of the oldest. */
async function seed(): Promise<string> {
  const asked = { model: 'sandbox/claude', max_tokens: 20, messages: [said('Hello', 'delay=0')] };
  const { id } = (await (await post(gateway, '/messages', asked)).json()) as { id: string };
  await finalGeneration(gateway, id);
  const spanMs = Math.min(DAY_MS, nowMs - Date.parse(today));
  const of = { accountId: gateway.accountId, id, count, endMs: nowMs, spanMs };
  return (await copyGeneration(gateway.table(), of))[0]!;
}

function pathsWith(id: string): Record<string, string> {
  return {
    'the latest fifty of a week': `/generations?limit=50&from=${utcDate(nowMs - 6 * DAY_MS)}`,
    'the latest hundred': '/generations?limit=100',
    'the latest fifty of a model': '/generations?limit=50&model=sandbox/claude',
    'a page of a filter that fits nothing': '/generations?limit=50&model=nobody/nothing',
    'a page of days without requests': '/generations?from=2025-01-01&to=2025-12-31',
    'one request': `/generations/${id}`,
    'the statement of the month': `/statements/${today.slice(0, 7)}`,
    'activity of thirty days': '/activity?group_by=workspace,key,member',
    'spending by model': '/activity/models',
    'thirty days of an endpoint': '/models/sandbox/claude/endpoints?history=true',
    balance: '/credits',
    workspaces: '/workspaces',
    members: `/workspaces/${gateway.workspaceId}/members`,
    keys: '/keys',
    models: '/models',
  };
}

async function medianMs(of: RunningGateway, path: string): Promise<number> {
  const timings: number[] = [];
  for (let request = 0; request <= REQUESTS; request += 1) {
    const startedAtMs = performance.now();
    const response = await get(of, path, of.managementKey);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
    // The first request is slower, so it is not measured.
    if (request > 0) timings.push(performance.now() - startedAtMs);
  }
  return median(timings);
}

/** Returns the median times in ms to the first paint, of a new page and of a page that is opened again. */
async function firstPaints(): Promise<Record<string, number>> {
  const browser = await startChromium();
  try {
    const fresh: number[] = [];
    const again: number[] = [];
    for (let visit = 0; visit <= REQUESTS; visit += 1) {
      const page = await (await browser.newContext()).newPage();
      const url = `${gateway.baseUrl}/console`;
      const [first, second] = [await firstPaintOf(page, url), await firstPaintOf(page, url)];
      await page.context().close();
      if (visit === 0) continue;
      fresh.push(first);
      again.push(second);
    }
    return { 'first paint of the console': median(fresh), '… opened again': median(again) };
  } finally {
    await browser.close();
  }
}
