/**
 * Apart from the code that counts it, a unit needs only an entry in the table of units to be held, charged, recorded,
 * sealed and shown.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { chargedTogether, chargeForMeasured } from '../../lambdas/accounting/charge.ts';
import type { FinalGeneration } from '../../lambdas/accounting/daily-sums.ts';
import { linesOf, provesItsPrice } from '../../lambdas/accounting/generation-lines.ts';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import { priceUpperBound, type UsageBound } from '../../lambdas/accounting/price.ts';
import { readSettlement } from '../../lambdas/accounting/read-settlement.ts';
import { recordedPieces, recordedUsage } from '../../lambdas/accounting/recorded-usage.ts';
import { serviceCostOf } from '../../lambdas/accounting/service-cost.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { encodeSettlement } from '../../lambdas/accounting/settlement.ts';
import { periodOf } from '../../lambdas/books/period.ts';
import { chargeLines, sealedColumns, sealedWidths, widthOfHead } from '../../lambdas/books/seals/sealed-line.ts';
import { modelsFileSchema, type Pricing } from '../../lambdas/catalog/schema.ts';
import { mostBlocks } from '../../lambdas/catalog/unit-lists.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { readAccount } from '../../lambdas/store/accounts/accounts.ts';
import { recordedId } from '../../lambdas/store/generations/generation-key.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { writeStatementFiles } from '../../lib/admin/reports/statement-files.ts';
import { describedGeneration } from '../../lib/admin/requests/request-rows.ts';
import { unitLabels } from '../../lib/console/texts/unit-labels.ts';
import { buildDocument } from '../../lib/openapi/document.ts';
import { writeExport } from '../support/exports.ts';
import { makeHistory, type History } from '../support/history.ts';
import { daysAfter, newSealing, sealBefore, verifyAll, type Sealing } from '../support/sealing.ts';
import { holdRequest, outcome, placeHold, rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

vi.mock('../../lambdas/catalog/billing-units.ts', async (original) => {
  const { unitTable, ...others } = await original<{ unitTable: readonly object[] }>();
  const label = { en: 'toy units', ru: 'единицы поиска' };
  const words = { priced: 'The price of one toy.', focus: { unit: 'Units', name: 'Toy units' }, label };
  const toys = [
    {
      ...words,
      part: 'piece',
      per: 'round',
      counted: 'after',
      alone: true,
      blocks: 5,
      meter: 'toy_unit',
      usage: 'toyUnits',
      reported: ['billed_units', 'toy_units'],
      record: ['toyUnits', 'toy_units'],
      isUnreleased: true,
      shownAs: 'toy_units',
      prices: ['toy_unit'],
      plausible: ['0.01', '10'],
      typical: 1,
    },
    {
      ...words,
      part: 'completion',
      meter: 'image_token',
      usage: 'imageTokens',
      reported: ['image_tokens'],
      record: ['imageTokens', 'image_tokens'],
      isUnreleased: true,
      prices: ['image_token'],
    },
    {
      ...words,
      part: 'prompt',
      meter: 'audio_token',
      usage: 'audioTokens',
      reported: ['audio_tokens'],
      record: ['audioTokens', 'audio_tokens'],
      isUnreleased: true,
      prices: ['audio_token', 'prompt'],
    },
  ];
  return { ...others, unitTable: [...unitTable, ...toys] };
});

const pricing = {
  prompt: rub('0.001'),
  completion: rub('0.002'),
  toy_unit: rub('0.25'),
  image_token: rub('0.02'),
  audio_token: rub('0.01'),
} as Pricing;
const bound = { promptTokens: 20, outputTokens: 10, cacheWrites: 'none', toyUnits: 5 } as UsageBound;

function chargedFor(usage: object) {
  const meter = new UsageMeter({ estimatedInputTokens: 7, promptCountedAtStart: false });
  meter.addReported(usage);
  return chargeForMeasured(meter, { pricing, bound }, 'usage', undefined);
}

const tokens = { input_tokens: 4, output_tokens: 6, audio_tokens: 2, image_tokens: 3 };
// The first round costs 3 × 0.25, and the second 4 × 0.001 + 2 × 0.01 + 3 × 0.002 + 3 × 0.02 + 2 × 0.25.
const rounds = () => [
  chargedFor({ input_tokens: 0, output_tokens: 0, billed_units: { toy_units: 3 } }),
  chargedFor({ ...tokens, billed_units: { toy_units: 2 } }),
];

describe('a new billing unit in the table of units', () => {
  it('has its price in the catalog', () => {
    const file = readFileSync(join(import.meta.dirname, '../../lambdas/catalog/data/models/sandbox.json'), 'utf8');
    const { models } = JSON.parse(file) as { models: { endpoints: { pricing?: object }[] }[] };
    const model = models.find(({ endpoints: [endpoint] }) => endpoint!.pricing);
    Object.assign(model!.endpoints[0]!.pricing!, { toy_unit: '0.25' });

    const [read] = modelsFileSchema.parse({ models: [model] }).models;
    expect(read!.endpoints[0]!.pricing).toMatchObject({ toy_unit: rub('0.25') });
  });

  it('is held at its upper bound', () => {
    // Every token of the prompt has the price of audio, and every token of the answer the price of images.
    expect(String(priceUpperBound(bound, pricing))).toBe('1.65');
  });

  it('is charged as reported, and cut to the hold', () => {
    expect(rounds().map(({ cost }) => String(cost))).toEqual(['0.75', '0.59']);
    const beyond = chargedFor({ ...tokens, billed_units: { toy_units: 9 }, image_tokens: 7 });
    expect([String(beyond.cost), beyond.exceeded]).toEqual(['1.394', true]);
  });

  it('is charged for each content block that names it', () => {
    const meter = new UsageMeter({ estimatedInputTokens: 0, promptCountedAtStart: false });
    for (const piece of ['toyUnits', 'toyUnits', 'inputTokens', 'toString', undefined]) {
      meter.observe({ type: 'content_block_start', index: 0, content_block: { type: 'audio', piece } });
    }
    meter.addReported({ input_tokens: 0, output_tokens: 0 });

    const charged = chargeForMeasured(meter, { pricing, bound: { ...bound, ...mostBlocks } }, 'usage', undefined);
    expect([String(charged.cost), meter.mediaItems]).toEqual(['0.5', 2]);
    expect(charged.usage).toMatchObject({ toyUnits: 2, inputTokens: 0 });
    expect(mostBlocks).toEqual({ songs: 1, toyUnits: 5 });
  });

  it('has a service cost at its purchase price, also without tokens', () => {
    const charged = { usage: { inputTokens: 0, outputTokens: 0, toyUnits: 3 } };
    expect(String(serviceCostOf({ serviceCost: pricing }, charged))).toBe('0.75');
  });

  it('has a name in both languages, and a field in the API document', async () => {
    expect([unitLabels('en'), unitLabels('ru')]).toMatchObject([
      { toy_unit: 'toy units' },
      { toy_unit: 'единицы поиска' },
    ]);
    const { PriceLine, Pricing: prices } = (await buildDocument()).components.schemas;
    expect(JSON.stringify(PriceLine)).toContain('"toy_unit"');
    expect(prices).toMatchObject({ properties: { toy_unit: { description: 'The price of one toy.' } } });
  });
});

describe('a generation with new billing units', () => {
  let table: Table;
  let history: History;
  let sealing: Sealing;
  let generation: FinalGeneration;
  let directory: string;
  let today: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gateway-unit-'));
    table = await newTable();
    history = await makeHistory(table, { generations: 2, days: 1 });
    today = history.dates[0]!;
    generation = await settled();
    sealing = await newSealing(table);
    await sealBefore(sealing.tools, daysAfter(today, 1));
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
    rmSync(sealing.directory, { recursive: true });
  });

  async function settled(): Promise<FinalGeneration> {
    const { account, keys } = history;
    const ids = { accountId: account.id, workspaceId: account.defaultWorkspaceId, keyHash: keys['server']! };
    const payer = { ...ids, memberId: undefined };
    const request = holdRequest({ payer, scopes: [] }, priceUpperBound(bound, pricing).times(2));
    const id = recordedId(account, request.generation.id);
    const { hold } = await placeHold(table, { ...request, generation: { ...request.generation, id, pricing } });
    const { usage, cost, rounds: used = [] } = chargedTogether(rounds());
    const done = {
      ...outcome(cost),
      ...recordedUsage(usage),
      ...recordedPieces(usage),
      rounds: used.map(recordedUsage),
    };
    const { body, added } = encodeSettlement({ generationId: id, payer, hold, outcome: done });
    const { outcome: received } = readSettlement({ body, ...(added ? { added } : {}) });
    await settleBatch(table, [{ generationId: id, payer, hold, outcome: received }], { swept: false });
    return (await readGeneration(table, account.id, id)) as FinalGeneration;
  }

  it('has them in its record, and in those of its rounds', () => {
    const { outcome: recorded } = generation;
    expect(recorded).toMatchObject({ toyUnits: 5, imageTokens: 3, audioTokens: 2, promptTokens: 6 });
    expect(recorded.rounds.map((round) => (round as object as { toyUnits: number }).toyUnits)).toEqual([3, 2]);
    expect(describedGeneration(generation)).toMatchObject({ toy_units: 5 });
  });

  it('has price lines that prove its price', () => {
    const lines = linesOf(generation);
    const last = lines.at(-1)!.units.map(({ meter, quantity, price }) => `${quantity} ${meter} at ${price}`);
    expect(last).toEqual([
      '4 input at 0.001',
      '3 output at 0.002',
      '2 toy_unit at 0.25',
      '3 image_token at 0.02',
      '2 audio_token at 0.01',
    ]);
    expect(provesItsPrice(generation, lines)).toBe(true);
    expect(String(generation.outcome.cost)).toBe('1.34');
  });

  it('has sealed lines that begin with the fields of earlier releases', async () => {
    const [width, ...earlier] = sealedWidths as [number, ...number[]];
    const lines = chargeLines(generation, 'charge');
    expect(sealedColumns.slice(-6, -4)).toEqual(['toy_unit_units', 'toy_unit_price_rub']);
    expect(lines.map((line) => line.split(',').slice(-6).join(','))).toEqual(['3,0.25,,,,', '2,0.25,3,0.02,2,0.01']);
    expect([width, ...earlier].map((one) => widthOfHead(sealedColumns.slice(0, one).join(',')))).toEqual(sealedWidths);
    for (const one of earlier) {
      const beginnings = lines.map((line) => line.split(',').slice(0, one).join(','));
      expect(chargeLines(generation, 'charge', one)).toEqual(beginnings);
    }
    expect(await verifyAll(sealing, history.account.id)).toEqual({ days: 1, ofFiles: [], ofRecords: [] });
  });

  it('has them in its statement and its FOCUS rows', async () => {
    const account = (await readAccount(table, history.account.id))!;
    const question = { account, period: periodOf({ from: today, to: today }), by: ['day' as const], filter: {} };
    const target = join(directory, 'statement');
    await writeStatementFiles(table, question, {
      directory: target,
      locale: 'plain',
      issuer: 'Test',
      progress: () => {},
    });
    const read = (name: string) => readFileSync(join(target, name), 'utf8');
    expect(read('generations.csv')).toContain(chargeLines(generation, 'charge')[1]);
    expect(read('prices.csv')).toMatch(/^price,.*,toy_unit,,0\.25,.*,5,1\.25$/m);
    expect(read('focus.csv')).toMatch(/test\/model: Toy units,.*,5,Units,/);
  });

  it('proves its price in SQL as well', async () => {
    const client = new DynamoDBClient({
      endpoint: inject('dynamodbEndpoint'),
      region: 'us-east-1',
      credentials: localCredentials,
    });
    const { Items = [] } = await client.send(new ScanCommand({ TableName: table.name }));
    const records = Items.filter(({ entity }) => entity?.S === 'generation');
    const lines = records.map((Item) => ({ Item }));
    writeExport(directory, 'full/dt=2026-11-27', lines, { exportTime: '2026-11-27T00:00:00.000Z' });
    const books = await openBooks(directory);
    const of = (query: string) => books.query(`${query} WHERE id = '${generation.id}' ORDER BY round`);

    expect(await of('SELECT toy_units, CAST(cost_rub AS VARCHAR) AS cost FROM rounds')).toMatchObject([
      { toy_units: 3, cost: '0.750000000000' },
      { toy_units: 2, cost: '0.590000000000' },
    ]);
    expect(await books.query('SELECT id FROM unproven')).toEqual([]);
    books.close();
  });
});
