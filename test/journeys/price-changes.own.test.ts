/** Requests around the moment at which the prices of their endpoint change. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';

const old = { prompt: '0.0001', completion: '0.0002' };
const later = { prompt: '0.0003', completion: '0.0007' };
/** Time from the start of the gateway until the prices change. */
const UNTIL_CHANGE_MS = 12_000;

let changeMs: number;
let directory: string;
let catalogs: CatalogDirectory[] = [];
let gateway: RunningGateway;
beforeAll(async () => {
  const always = catalogDirectory([textModel('test/launch', [{ provider: 'sandbox-openai', pricing: old }])]);
  directory = mkdtempSync(join(tmpdir(), 'gateway-price-changes-'));
  gateway = await startGateway({ args: ['--data', directory, '--catalog', always.path] });
  // The time is measured from the end of the start, because a start takes an unknown time.
  changeMs = Date.now() + UNTIL_CHANGE_MS;
  const changing = changingCatalog(new Date(changeMs).toISOString());
  catalogs = [always, changing];
  await adminHere(directory, 'catalog', 'publish', changing.path, '--yes');
  while ((await shown('/models/test/launch')).price_changes === undefined) await sleep(100);
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
  for (const { remove } of catalogs) remove();
});

function changingCatalog(moment: string): CatalogDirectory {
  const pricing = { ...old, valid_until: moment, periods: [{ valid_from: moment, ...later }] };
  return catalogDirectory([
    textModel('test/launch', [{ provider: 'sandbox-openai', pricing }]),
    {
      ...textModel('test/judge', [{ provider: 'sandbox-openai', wire: 'decisions-logprobs', pricing }]),
      output_modalities: ['decisions'],
    },
    {
      ...textModel('test/filmmaker', [{ provider: 'sandbox-video', pricing: { prompt: '0', completion: '0' } }]),
      output_modalities: ['video'],
      video: {
        durations: [5],
        resolutions: ['768p'],
        aspect_ratios: ['16:9'],
        price_per_second: { '768p': '2' },
        periods: [{ valid_from: moment, price_per_second: { '768p': '3' } }],
      },
    },
  ]);
}

const untilChange = () => sleep(Math.max(0, changeMs - Date.now() + 20));
const micro = (price: string) => Math.round(Number(price) * 1e6);

const recordOf = (id: string) => finalGeneration(gateway, id, 60_000);

async function idOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  expect(response.ok, await response.clone().text()).toBe(true);
  return response.headers.get('x-generation-id')!;
}

async function answered(model: string, directives: string) {
  return recordOf(await idOf(post(gateway, '/messages', { model, messages: [said('Hello', directives)] })));
}

function costOf(record: Record<string, unknown>, { prompt, completion }: typeof old): number {
  const [read, written] = [record['tokens_prompt'] as number, record['tokens_completion'] as number];
  return (read * micro(prompt) + written * micro(completion)) / 1e6;
}

const film = () => idOf(post(gateway, '/videos', { model: 'test/filmmaker', prompt: 'A fox\n@sandbox polls=0' }));

async function shown(path: string) {
  const { data } = (await (await get(gateway, path, gateway.key)).json()) as { data: Record<string, unknown> };
  return { pricing: data['pricing'], price_changes: data['price_changes'] };
}

describe('the prices of a model that change', () => {
  it('apply to requests that are sent at the change or later, and not to answers that continue over it', async () => {
    expect(await shown('/models/test/launch')).toEqual({
      pricing: expect.objectContaining(old) as unknown,
      price_changes: [
        { valid_from: new Date(changeMs).toISOString(), pricing: expect.objectContaining(later) as unknown },
      ],
    });
    const first = await answered('test/launch', 'tokens=5 delay=0');
    const question = { type: 'noul', instructions: 'Is it late?' };
    const decide = () =>
      idOf(post(gateway, '/decisions', { model: 'test/judge', state: 'It is late.', questions: { late: question } }));
    const decidedBefore = await decide();
    const filmedBefore = await film();
    expect(Date.now(), 'the machine is too slow for this test').toBeLessThan(changeMs - 500);

    const overTheChange = answered('test/launch', `tokens=20 delay=${Math.ceil((changeMs - Date.now()) / 14)}`);
    await untilChange();
    const afterwards = await answered('test/launch', 'tokens=5 delay=0');
    const [decidedAfter, filmedAfter] = [await decide(), await film()];

    expect(await shown('/models/test/launch')).toEqual({ pricing: expect.objectContaining(later) as unknown });
    expect(first['total_cost']).toBe(costOf(first, old));
    expect(afterwards['total_cost']).toBe(costOf(afterwards, later));
    const long = await overTheChange;
    expect(Date.parse(long['created_at'] as string) + (long['generation_time'] as number)).toBeGreaterThan(changeMs);
    expect(long['total_cost']).toBe(costOf(long, old));
    const decisions = await Promise.all([decidedBefore, decidedAfter].map(recordOf));
    expect(decisions.map((record) => record['total_cost'])).toEqual([
      costOf(decisions[0]!, old),
      costOf(decisions[1]!, later),
    ]);
    const films = await Promise.all([filmedBefore, filmedAfter].map(recordOf));
    expect(films.map((record) => record['total_cost'])).toEqual([10, 15]);
  });
});
