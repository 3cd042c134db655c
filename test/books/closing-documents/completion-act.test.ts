/** Closing documents, and changes to a month after its document was issued. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { settleBatch } from '../../../lambdas/accounting/settle.ts';
import type { HoldRequest, PlacedHold } from '../../../lambdas/admission/hold.ts';
import { createAccount } from '../../../lambdas/management/accounts.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Account } from '../../../lambdas/store/accounts/accounts.ts';
import { paperPut, type Party } from '../../../lambdas/store/accounts/papers.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { transact } from '../../../lambdas/store/table/transact.ts';
import { makeAct, requireLines, type Act } from '../../../lib/admin/closing-documents/completion-act.ts';
import { holdRequest, outcome, placeHold, rub } from '../../support/spending.ts';
import { newTable } from '../../support/table.ts';

afterEach(() => void vi.useRealTimers());

interface Life {
  table: Table;
  account: Account;
}

async function newLife(): Promise<Life> {
  vi.useFakeTimers({ now: Date.parse('2026-09-01T00:00:00Z'), toFake: ['Date'] });
  const table = await newTable();
  return {
    table,
    account: await createAccount(table, { kind: 'operator', id: 'test' }, { name: 'A', mode: 'postpaid' }),
  };
}

interface Held {
  request: HoldRequest;
  placed: PlacedHold;
}

async function held({ table, account: { id, defaultWorkspaceId } }: Life, at: string): Promise<Held> {
  vi.setSystemTime(Date.parse(at));
  const payer = { accountId: id, workspaceId: defaultWorkspaceId, memberId: undefined, keyHash: 'key' };
  const scopes = [{ kind: 'account' as const, id, limits: {}, revision: 0 }];
  const request = holdRequest({ payer, scopes }, rub('30'), { atMs: Date.parse(at) });
  return { request, placed: await placeHold(table, request) };
}

/** Settles a hold with ten tokens, at a price that proves the cost. */
async function settled({ table }: Life, { request, placed }: Held, each: string, swept = false): Promise<void> {
  const price = rub(each);
  const told = { ...outcome(price.times(10)), completionTokens: 0, pricing: { prompt: price, completion: Money.zero } };
  const { id: generationId, payer } = request.generation;
  const [result] = await settleBatch(table, [{ generationId, payer, hold: placed.hold, outcome: told }], { swept });
  if (result instanceof Error) throw result;
}

const party: Party = {
  name: 'ООО Ромашка',
  inn: '7701234560',
  kpp: undefined,
  address: 'Москва',
  contract: undefined,
  vat: '20',
  includesVat: true,
};

function asked({ table, account }: Life, month: string, more: { zone?: string } = {}): Promise<Act> {
  return makeAct(table, { account, month, zone: 'UTC', number: month, by: 'nothing', party, ...more });
}

async function issued(life: Life, month: string): Promise<Act> {
  const act = await asked(life, month);
  await transact(life.table, { paper: paperPut(life.table, life.account.id, act.paper) });
  return act;
}

const textsOf = ({ paper: { exact, carriedIn, total, carriedOut } }: Act) =>
  [exact, carriedIn, total, carriedOut].map(String);

describe('a closing document', () => {
  it('of a month without lines is issued only if the operator confirms it', async () => {
    const life = await newLife();
    await settled(life, await held(life, '2026-09-10T12:00:00Z'), '0.1004');
    vi.setSystemTime(Date.parse('2026-11-03T00:00:00Z'));
    const used = await issued(life, '2026-09');
    const unused = await asked(life, '2026-10');

    expect(() => requireLines(used)).not.toThrow();
    expect(() => requireLines(unused)).toThrow(/2026-10 has no lines.* repeat the command with --empty/);
  });

  it('is in kopecks, and the next document has the rounding difference', async () => {
    const life = await newLife();
    await settled(life, await held(life, '2026-09-10T12:00:00Z'), '0.1004');
    await settled(life, await held(life, '2026-10-10T12:00:00Z'), '0.1004');
    vi.setSystemTime(Date.parse('2026-11-01T00:00:00Z'));

    expect(textsOf(await issued(life, '2026-09'))).toEqual(['1.004', '0', '1', '0.004']);
    expect(textsOf(await issued(life, '2026-10'))).toEqual(['1.004', '0.004', '1.01', '-0.002']);
  });

  it('has a line for a change of an earlier month, once', async () => {
    const life = await newLife();
    const first = await held(life, '2026-09-30T12:00:00Z');
    await settled(life, first, '0.1', true);
    vi.setSystemTime(Date.parse('2026-10-02T00:00:00Z'));
    await issued(life, '2026-09');
    await settled(life, first, '0.7');
    await settled(life, await held(life, '2026-10-10T12:00:00Z'), '1');
    vi.setSystemTime(Date.parse('2026-12-02T00:00:00Z'));
    const october = await issued(life, '2026-10');
    await settled(life, await held(life, '2026-11-10T12:00:00Z'), '1');
    vi.setSystemTime(Date.parse('2026-12-02T00:00:00Z'));
    const november = await issued(life, '2026-11');

    expect(october.lines.map(({ kind, subject, amount }) => [kind, subject, String(amount)])).toEqual([
      ['spending', '', '10'],
      ['change', '2026-09', '6'],
    ]);
    expect(november.lines.map(({ kind }) => kind)).toEqual(['spending']);
    await expect(asked(life, '2026-09')).rejects.toThrow(/has 1 RUB, but its records now add up to 7 RUB/);
  });

  it('is the same after a second request', async () => {
    const life = await newLife();
    await settled(life, await held(life, '2026-09-10T12:00:00Z'), '0.1004');
    vi.setSystemTime(Date.parse('2026-11-01T00:00:00Z'));
    const first = await issued(life, '2026-09');
    const again = await asked(life, '2026-09');
    expect([again.isIssued, textsOf(again)]).toEqual([true, textsOf(first)]);
  });

  it('uses the days of its time zone', async () => {
    const life = await newLife();
    await settled(life, await held(life, '2026-09-30T22:00:00Z'), '1');
    vi.setSystemTime(Date.parse('2026-11-01T00:00:00Z'));
    expect(textsOf(await asked(life, '2026-09', { zone: 'Europe/Moscow' }))[0]).toBe('0');
    expect(textsOf(await asked(life, '2026-10', { zone: 'Europe/Moscow' }))[0]).toBe('10');
  });

  it('is refused before the end of the month, before all settlements, and before the earlier document', async () => {
    const life = await newLife();
    await held(life, '2026-09-30T12:00:00Z');
    await expect(asked(life, '2026-09')).rejects.toThrow(/is not over yet/);
    vi.setSystemTime(Date.parse('2026-11-02T00:00:00Z'));
    await expect(asked(life, '2026-09')).rejects.toThrow(/1 requests of 2026-09 are not settled yet/);
    await issued(life, '2026-08');
    await expect(asked(life, '2026-10')).rejects.toThrow(/Issue 2026-09 first/);
    await expect(asked(life, '2026-09', { zone: 'Europe/Moscow' })).rejects.toThrow(/Use --zone UTC/);
  });
});
