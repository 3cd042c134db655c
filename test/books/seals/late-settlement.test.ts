/** Settlements after their day was sealed, and interrupted runs. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { settleBatch } from '../../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../../lambdas/accounting/settlement.ts';
import { lifetimeDrift } from '../../../lambdas/books/seals/lifetime.ts';
import { proofsOf } from '../../../lambdas/books/seals/proofs.ts';
import { parseSealStatement, sealFiles } from '../../../lambdas/books/seals/seal-statement.ts';
import { createAccount } from '../../../lambdas/management/accounts.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { KeptFiles } from '../../../lambdas/platform/immutable-files.ts';
import { generationKey } from '../../../lambdas/store/generations/generation-key.ts';
import { readGeneration } from '../../../lambdas/store/generations/generation-queries.ts';
import { readSealHead, sealedDays } from '../../../lambdas/store/days/seals.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import type { HoldRequest, PlacedHold } from '../../../lambdas/admission/hold.ts';
import { rootOfLeafList } from '../../../lib/admin/seals/leaf-list.ts';
import { documentsOf } from '../../support/documents.ts';
import { randomFrom } from '../../support/random.ts';
import { repeated } from '../../support/long-runs.ts';
import { daysAfter, newSealing, sealBefore, verifyAll, type Sealing } from '../../support/sealing.ts';
import { holdRequest, outcome, placeHold, rub, type Spender } from '../../support/spending.ts';
import { newTable } from '../../support/table.ts';

const MONDAY = '2026-11-16';

const opened: Sealing[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const { directory } of opened.splice(0)) rmSync(directory, { recursive: true, force: true });
});

interface Life {
  table: Table;
  spender: Spender;
  sealing: Sealing;
  account: string;
}

async function newLife(): Promise<Life> {
  vi.useFakeTimers({ now: Date.parse(`${MONDAY}T00:00:00Z`), toFake: ['Date'] });
  const table = await newTable();
  const { id, defaultWorkspaceId } = await createAccount(
    table,
    { kind: 'operator', id: 'test' },
    { name: 'A', mode: 'postpaid' },
  );
  const payer = { accountId: id, workspaceId: defaultWorkspaceId, memberId: undefined, keyHash: 'key' };
  const ids = { key: 'key', workspace: defaultWorkspaceId, account: id } as const;
  const scopes = (['key', 'workspace', 'account'] as const).map((kind) => ({
    kind,
    id: ids[kind],
    limits: {},
    revision: 0,
  }));
  const sealing = await newSealing(table);
  opened.push(sealing);
  return { table, spender: { payer, scopes }, sealing, account: id };
}

interface Held {
  request: HoldRequest;
  placed: PlacedHold;
}

async function held({ table, spender }: Life, at: string): Promise<Held> {
  vi.setSystemTime(Date.parse(at));
  const request = holdRequest(spender, rub('3'), { atMs: Date.parse(at) });
  return { request, placed: await placeHold(table, request) };
}

async function settled(
  { table }: Life,
  { request, placed }: Held,
  more: { cost: string; swept?: boolean; cancelled?: boolean },
): Promise<void> {
  const { id, payer } = request.generation;
  const ended = { ...outcome(rub(more.cost)), cancelled: more.cancelled ?? false };
  const settlement: Settlement = { generationId: id, payer, hold: placed.hold, outcome: ended };
  const [result] = await settleBatch(table, [settlement], { swept: more.swept ?? false });
  if (result instanceof Error) throw result;
}

/** Seals the days before a date, at two o'clock on that date. */
async function sealedBefore({ sealing }: Life, date: string): Promise<number> {
  vi.setSystemTime(Date.parse(`${date}T02:00:00Z`));
  return sealBefore(sealing.tools, date);
}

async function statementsOf(life: Life) {
  return (await sealedDaysOf(life)).map(({ statement }) => {
    const { date, charged_rub, late_rub, corrected_rub, open_generations, usage_so_far_rub } =
      parseSealStatement(statement);
    return [date, charged_rub, late_rub, corrected_rub, open_generations, usage_so_far_rub];
  });
}

const sealedDaysOf = ({ table, account }: Life) =>
  Array.fromAsync(sealedDays(table, account, { from: '2026-01-01', to: '2027-01-01' }));

async function statedRoots(life: Life): Promise<string[]> {
  return (await sealedDaysOf(life)).map(({ root }) => root);
}

/**
 * Returns the root of each day's list of leaves.
 * @throws {Error} if a day has no list
 */
async function leafListRoots(life: Life): Promise<string[]> {
  const { sealing, account } = life;
  const roots: string[] = [];
  for (const { date, root } of await sealedDaysOf(life)) {
    roots.push(await rootOfLeafList(join(sealing.directory, sealFiles(account, date).leaves(root))));
  }
  return roots;
}

async function expectSound(life: Life): Promise<void> {
  const { ofFiles, ofRecords } = await verifyAll(life.sealing, life.account);
  expect([...ofFiles, ...ofRecords]).toEqual([]);
  expect(await lifetimeDrift(life.table, life.account, (await readSealHead(life.table, life.account))!)).toBe(
    undefined,
  );
}

const alteredBefore = (item: Record<string, unknown>, fields: object) => ({
  ...item,
  before: { ...(item['before'] as object), ...fields },
});

describe('a generation that is settled after its day is sealed', () => {
  it('is open on its day, and late on the first day after its settlement', async () => {
    const life = await newLife();
    const first = await held(life, `${MONDAY}T23:59:59Z`);
    await sealedBefore(life, '2026-11-17');
    await expectSound(life);
    await sealedBefore(life, '2026-11-18');
    await settled(life, first, { cost: '0.5' });
    await expectSound(life);
    await sealedBefore(life, '2026-11-19');
    await sealedBefore(life, '2026-11-20');

    expect(await statementsOf(life)).toEqual([
      [MONDAY, '0', '0', '0', 1, '0'],
      ['2026-11-18', '0', '0.5', '0', 0, '0.5'],
    ]);
    await expectSound(life);
  });

  it('is proved on both days', async () => {
    const life = await newLife();
    const first = await held(life, `${MONDAY}T12:00:00Z`);
    await sealedBefore(life, '2026-11-17');
    await settled(life, first, { cost: '0.5' });
    await sealedBefore(life, '2026-11-18');

    const generation = await readGeneration(life.table, life.account, first.request.generation.id);
    const proofs = await proofsOf(life.table, life.account, generation!);
    expect(proofs.map(({ day, lines }) => [day.date, lines[0]!.line!.split(',')[0]])).toEqual([
      [MONDAY, 'open'],
      ['2026-11-17', 'late'],
    ]);
  });

  it('is reported if the table has lost the day of its later seal', async () => {
    const life = await newLife();
    const first = await held(life, `${MONDAY}T12:00:00Z`);
    await sealedBefore(life, '2026-11-17');
    await settled(life, first, { cost: '0.5' });
    await sealedBefore(life, '2026-11-18');
    const { id } = first.request.generation;
    const Key = { pk: `SEALS#${life.account}`, sk: `LATE#${id}#2026-11-17` };
    await documentsOf(life.table).send(new DeleteCommand({ TableName: life.table.name, Key }));

    const { ofRecords } = await verifyAll(life.sealing, life.account);

    expect(ofRecords).toMatchObject([
      { where: `line 1, ${id}`, says: 'is missing from the late seals of its generation in the table' },
    ]);
  });

  it('is sealed as estimated, and corrected by a later day', async () => {
    const life = await newLife();
    const first = await held(life, `${MONDAY}T12:00:00Z`);
    await settled(life, first, { cost: '0.1', swept: true });
    await sealedBefore(life, '2026-11-17');
    await settled(life, first, { cost: '0.7' });
    await expectSound(life);
    await sealedBefore(life, '2026-11-18');

    expect(await statementsOf(life)).toEqual([
      [MONDAY, '0.1', '0', '0', 0, '0.1'],
      ['2026-11-17', '0', '0', '0.6', 0, '0.7'],
    ]);
    await expectSound(life);
  });

  it.each(['0.7', '0'])(
    'is sealed on a day without charges as an estimate of zero, then corrected to %s',
    async (cost) => {
      const life = await newLife();
      const first = await held(life, `${MONDAY}T12:00:00Z`);
      await settled(life, first, { cost: '0', swept: true, cancelled: true });
      await sealedBefore(life, '2026-11-17');
      await expectSound(life);
      await settled(life, first, { cost });
      await expectSound(life);
      await sealedBefore(life, '2026-11-18');

      expect(await statementsOf(life)).toEqual([
        [MONDAY, '0', '0', '0', 0, '0'],
        ['2026-11-17', '0', '0', cost, 0, cost],
      ]);
      await expectSound(life);
    },
  );

  it.each<
    [string, 'generation' | 'correction', (item: Record<string, unknown>) => Record<string, unknown> | undefined]
  >([
    ['another key', 'generation', (item) => ({ ...item, key_hash: 'another' })],
    ['another time', 'generation', (item) => ({ ...item, created_at: '2026-11-16T12:00:01.000Z' })],
    ['other tokens in the estimate', 'correction', (item) => alteredBefore(item, { tokens_prompt: 999 })],
    ['another model in the estimate', 'correction', (item) => alteredBefore(item, { model: 'acme/other' })],
    ['no entry of the correction', 'correction', () => undefined],
  ])('is reported on its first day if it is altered after its correction: %s', async (_what, kind, alter) => {
    const life = await newLife();
    const first = await held(life, `${MONDAY}T12:00:00Z`);
    await settled(life, first, { cost: '0.1', swept: true });
    await sealedBefore(life, '2026-11-17');
    await settled(life, first, { cost: '0.7' });
    await sealedBefore(life, '2026-11-18');
    const { id } = first.request.generation;
    const { pk } = generationKey(life.account, id);
    const Key = { pk, sk: kind === 'generation' ? id : `${id}#CORRECTION` };
    const documents = documentsOf(life.table);
    const TableName = life.table.name;
    const { Item } = await documents.send(new GetCommand({ TableName, Key }));
    const altered = alter(Item!);
    if (altered) await documents.send(new PutCommand({ TableName, Item: altered }));
    else await documents.send(new DeleteCommand({ TableName, Key }));

    const { ofRecords } = await verifyAll(life.sealing, life.account);

    expect(ofRecords.map(({ date }) => date)).toContain(MONDAY);
  });

  it('may be late, estimated and corrected on three days', async () => {
    const life = await newLife();
    const first = await held(life, `${MONDAY}T12:00:00Z`);
    await sealedBefore(life, '2026-11-17');
    await settled(life, first, { cost: '0.1', swept: true });
    await sealedBefore(life, '2026-11-18');
    await settled(life, first, { cost: '0.05' });
    await sealedBefore(life, '2026-11-19');

    expect(await statementsOf(life)).toEqual([
      [MONDAY, '0', '0', '0', 1, '0'],
      ['2026-11-17', '0', '0.1', '0', 0, '0.1'],
      ['2026-11-18', '0', '0', '-0.05', 0, '0.05'],
    ]);
    await expectSound(life);
  });
});

describe('days without a charge', () => {
  it('have no statement, and the next statement follows the last one', async () => {
    const life = await newLife();
    await settled(life, await held(life, `${MONDAY}T12:00:00Z`), { cost: '1' });
    await sealedBefore(life, '2026-11-18');
    await settled(life, await held(life, '2026-11-20T12:00:00Z'), { cost: '2' });
    await sealedBefore(life, '2026-11-23');

    expect((await statementsOf(life)).map(([date]) => date)).toEqual([MONDAY, '2026-11-20']);
    await expectSound(life);
  });

  it('are sealed one after the other after the gateway was off for a month', async () => {
    const life = await newLife();
    await settled(life, await held(life, `${MONDAY}T12:00:00Z`), { cost: '1' });
    expect(await sealedBefore(life, '2026-12-16')).toBe(30);
    await expectSound(life);
  });
});

/** Returns a file store in which call number `call` throws an error, before or after the call takes effect. */
function failingAt(files: KeptFiles, call: number, when: 'before' | 'after'): KeptFiles {
  let calls = 0;
  const tried = async <Result>(work: () => Promise<Result>) => {
    calls += 1;
    const isNow = calls === call;
    if (isNow && when === 'before') throw new Error('cut off');
    const result = await work();
    if (isNow) throw new Error('cut off');
    return result;
  };
  return {
    putNew: (name, content) => tried(() => files.putNew(name, content)),
    get: (name) => tried(() => files.get(name)),
  };
}

/** File calls in a run that seals one day of one account. */
const FILE_CALLS = 8;

describe('an interrupted run of seal-days', () => {
  it('may be interrupted at any of eight file calls', async () => {
    const life = await newLife();
    await settled(life, await held(life, `${MONDAY}T12:00:00Z`), { cost: '1' });
    vi.setSystemTime(Date.parse('2026-11-17T02:00:00Z'));
    const files = failingAt(life.sealing.tools.files, FILE_CALLS + 1, 'before');
    expect(await sealBefore({ ...life.sealing.tools, files }, '2026-11-17')).toBe(1);
  });

  it.each(Array.from({ length: FILE_CALLS }, (_, index) => index + 1))(
    'at its file call %i is completed by the next run, also after a settlement in between',
    async (call) => {
      for (const when of ['before', 'after'] as const) {
        const life = await newLife();
        await settled(life, await held(life, `${MONDAY}T12:00:00Z`), { cost: '1' });
        const second = await held(life, `${MONDAY}T13:00:00Z`);
        const files = failingAt(life.sealing.tools.files, call, when);
        vi.setSystemTime(Date.parse('2026-11-17T02:00:00Z'));
        await expect(sealBefore({ ...life.sealing.tools, files }, '2026-11-17')).rejects.toThrow('cut off');
        await settled(life, second, { cost: '0.25' });
        await sealedBefore(life, '2026-11-17');
        await sealedBefore(life, '2026-11-18');

        await expectSound(life);
        expect((await statementsOf(life)).at(-1)!.at(-1)).toBe('1.25');
        expect(await leafListRoots(life)).toEqual(await statedRoots(life));
      }
    },
  );

  it('does not affect a concurrent run', async () => {
    const life = await newLife();
    for (const hour of ['10', '11', '12']) {
      await settled(life, await held(life, `${MONDAY}T${hour}:00:00Z`), { cost: '1' });
    }
    vi.setSystemTime(Date.parse('2026-11-17T02:00:00Z'));
    await Promise.all([1, 2, 3].map(() => sealBefore(life.sealing.tools, '2026-11-17')));
    await sealedBefore(life, '2026-11-17');

    expect(await statementsOf(life)).toEqual([[MONDAY, '3', '0', '0', 0, '3']]);
    await expectSound(life);
  });
});

describe('any history of a sealed account', () => {
  it('causes no false report, and adds up to the spending', { timeout: 7_200_000 }, async () => {
    for (let seed = 1; seed <= repeated(10_000, { ofWhichAlways: 8 }); seed += 1) {
      const life = await newLife();
      const random = randomFrom(seed);
      const some = (count: number) => Math.floor(random() * count);
      let spent = Money.zero;
      const open: { life: Held; estimate: Money | undefined }[] = [];
      for (let day = 0; day < 6; day += 1) {
        const date = daysAfter(MONDAY, day);
        if (day > 0 && random() < 0.8) await sealedBefore(life, date);
        for (let count = some(4); count > 0; count -= 1) {
          open.push({
            life: await held(life, `${date}T${String(3 + some(20)).padStart(2, '0')}:00:00Z`),
            estimate: undefined,
          });
        }
        for (const entry of open.splice(0)) {
          const fate = random();
          if (fate < 0.3) open.push(entry);
          else {
            const cost = (some(1_000) / 1_000).toString();
            const swept = entry.estimate === undefined && fate < 0.55;
            await settled(life, entry.life, { cost, swept });
            spent = spent.plus(rub(cost)).minus(entry.estimate ?? Money.zero);
            if (swept) open.push({ ...entry, estimate: rub(cost) });
          }
        }
        if (random() < 0.5) await sealedBefore(life, daysAfter(date, 1));
        const head = await readSealHead(life.table, life.account);
        if (head) expect(await lifetimeDrift(life.table, life.account, head), `seed ${seed}, ${date}`).toBe(undefined);
      }
      await sealedBefore(life, daysAfter(MONDAY, 7));
      const { ofFiles, ofRecords } = await verifyAll(life.sealing, life.account);
      expect([...ofFiles, ...ofRecords], `seed ${seed}`).toEqual([]);
      const statements = await statementsOf(life);
      expect(statements.at(-1)?.at(-1) ?? '0', `seed ${seed}`).toBe(spent.toString());
      rmSync(life.sealing.directory, { recursive: true });
    }
  });

  it('is reported if its counter differs from its chain of sealed days', async () => {
    const life = await newLife();
    await settled(life, await held(life, `${MONDAY}T12:00:00Z`), { cost: '1' });
    await sealedBefore(life, '2026-11-17');
    const head = (await readSealHead(life.table, life.account))!;
    const drift = await lifetimeDrift(life.table, life.account, { ...head, usage: rub('1.000000000001') });
    expect([String(drift!.counted), String(drift!.sealed)]).toEqual(['1', '1.000000000001']);
  });
});
