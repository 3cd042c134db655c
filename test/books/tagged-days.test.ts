/** Reports by tag: the sums of daily rows, activity and statements. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readActivity } from '../../lambdas/accounting/activity.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { periodOf } from '../../lambdas/books/period.ts';
import { readStatement } from '../../lambdas/books/statement.ts';
import { setReportedTags } from '../../lambdas/management/reported-tags.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { Payer } from '../../lambdas/store/accounts/payer.ts';
import { ownerKinds } from '../../lambdas/store/counters/counters.ts';
import { dailyRowName } from '../../lambdas/store/days/activity.ts';
import type { RequestTags } from '../../lambdas/store/generations/request-tags.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { repeated } from '../support/long-runs.ts';
import { holdRequest, outcome, placeHold, rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { rowUsage, sumsBy, taggedDate as date, TaggedTenant, tagsOfSecondKey } from '../support/tagged-tenant.ts';

const startMs = Date.parse(date);

let table: Table;
beforeAll(async () => void (table = await newTable()));

/** A `late` request is settled after the day was added up. A `corrected` request has an estimate until then. */
const fates = ['settled', 'late', 'swept', 'corrected', 'free'] as const;
/** Texts, most of which have characters that separate names of rows, lines of files, or cells. */
const awkward = fc.constantFrom(
  'a',
  'b',
  'a#b',
  'b#~c',
  'a,b',
  '#',
  '~other',
  '"a"',
  '=1',
  '\n',
  '\r\na',
  'Ü\u2028',
  '🌊',
);
interface Request {
  key: number;
  tags: RequestTags | undefined;
  pico: number;
  fate: (typeof fates)[number];
}
const requests: fc.Arbitrary<Request[]> = fc.array(
  fc.record({
    key: fc.nat(2),
    tags: fc.option(
      fc.record(
        {
          project: awkward,
          team: fc.oneof(awkward, fc.string({ minLength: 1, unit: 'grapheme' })),
          trace: fc.string(),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
    pico: fc.integer({ min: 1, max: 1_000_000_007 }),
    fate: fc.constantFrom(...fates),
  }),
  { minLength: 1, maxLength: 14 },
);

interface Sent {
  payer: Payer;
  tags: RequestTags | undefined;
  cost: Money;
}

/** Settles requests, adds up the day, and settles the remaining requests afterwards. */
async function spend(tenant: TaggedTenant, all: readonly Request[]) {
  const sent: Sent[] = [];
  const afterwards: (() => Promise<unknown>)[] = [];
  for (const { key, tags, pico, fate } of all) {
    const payer = tenant.payers[key]!;
    const ids = { key: payer.keyHash, workspace: payer.workspaceId, account: payer.accountId };
    const scopes = ownerKinds
      .filter((kind) => kind !== 'member' || payer.memberId !== undefined)
      .map((kind) => {
        const id = kind === 'member' ? `${payer.workspaceId}/${payer.memberId}` : ids[kind];
        return { kind, id, limits: {}, revision: 0 };
      });
    const request = holdRequest({ payer, scopes }, rub('1'), { atMs: startMs + 1_000 });
    const { hold } = await placeHold(table, { ...request, generation: { ...request.generation, tags } });
    const settle = (cost: Money, swept: boolean) => {
      const pricing = { prompt: Money.fromPico(1n), completion: Money.zero };
      const tokens = { promptTokens: Number(cost.pico), completionTokens: 0 };
      const own = { ...outcome(cost), pricing, ...tokens, cancelled: fate === 'free' };
      return settleBatch(table, [{ generationId: request.generation.id, payer, hold, outcome: own }], { swept });
    };
    const cost = fate === 'free' ? Money.zero : Money.fromPico(BigInt(pico));
    if (fate === 'late') afterwards.push(() => settle(cost, false));
    else if (fate === 'corrected') {
      await settle(Money.fromPico(1n), true);
      afterwards.push(() => settle(cost, false));
    } else await settle(cost, fate === 'swept');
    sent.push({ payer, tags, cost });
  }
  await tenant.rollUp();
  for (const end of afterwards) await end();
  await tenant.rollUp();
  return sent.filter(({ cost }) => !cost.isZero);
}

const costOf = ({ cost }: Sent) => cost;
const valueOf = ({ payer, tags }: Sent, tenant: TaggedTenant, name: 'project' | 'team') =>
  tags?.[name] ??
  (payer.keyHash === tenant.payers[1]!.keyHash ? (tagsOfSecondKey as RequestTags)[name] : undefined) ??
  '';

describe('sums by tag', () => {
  const histories = repeated(40, { ofWhichAlways: 6 });
  it(`equal, by value, key and member, the sums of the requests in ${histories} random histories`, async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const tenant = await TaggedTenant.create(table);
        const sent = await spend(tenant, all);
        const value = (one: Sent, name: 'project' | 'team') => valueOf(one, tenant, name);

        const byBoth = await tenant.activityBy('tag:project', 'tag:team', 'key', 'member');
        expect(
          sumsBy(
            byBoth,
            ({ tags, keyHash, memberId }) => [tags!['project'], tags!['team'], keyHash, memberId],
            rowUsage,
          ),
        ).toEqual(
          sumsBy(
            sent,
            (one) => [value(one, 'project'), value(one, 'team'), one.payer.keyHash, one.payer.memberId],
            costOf,
          ),
        );
        for (const name of ['project', 'team'] as const) {
          const expected = sumsBy(sent, (one) => value(one, name), costOf);
          const rows = await tenant.activityBy(`tag:${name}`);
          expect(sumsBy(rows, ({ tags }) => tags![name], rowUsage)).toEqual(expected);
          const period = periodOf({ from: date, to: date });
          const statement = await readStatement(table, {
            account: tenant.account,
            period,
            by: [`tag:${name}`],
            filter: {},
          });
          expect(sumsBy(statement.rows, ({ values }) => values[0], rowUsage)).toEqual(expected);
        }
        const account = Money.sum((await readActivity(table, tenant.account.id, [date], {})).map(rowUsage));
        expect([String(account), await tenant.differences()]).toEqual([String(Money.sum(sent.map(costOf))), []]);
      }),
      { numRuns: histories },
    );
  }, 600_000);

  it('use the settings of the time at which a day is added up', async () => {
    const tenant = await TaggedTenant.create(table);
    const one = { key: 0, tags: { project: 'lake', cost: '7' }, pico: 5, fate: 'settled' } as const;
    await spend(tenant, [one, { ...one, tags: { project: 'sea', cost: '7' } }]);
    const names = (await tenant.keyRows()).map(dailyRowName);
    await setReportedTags(tenant.context, { reported: ['cost'] });
    expect((await tenant.keyRows()).map(dailyRowName)).toEqual(names);
    expect(await tenant.differences()).toEqual([]);

    await tenant.rollUp();
    const byCost = await tenant.keyRows();
    expect(byCost.map(({ tags }) => tags)).toEqual(byCost.map(() => ({ cost: '7' })));
    await setReportedTags(tenant.context, { reported: [] });
    await tenant.rollUp();
    const rows = await tenant.keyRows();
    expect(rows.map(({ tags }) => tags)).toEqual(rows.map(() => undefined));
    expect([String(Money.sum(rows.map(rowUsage))), await tenant.differences()]).toEqual(['0.00000000001', []]);
  });
});
