/**
 * Account with a history that the gateway's own code has created: holds, settlements, payments, and daily rows. From
 * noon of the day before the last day, its records are spread over more partitions.
 */

import { priceUsage } from '../../lambdas/accounting/price.ts';
import { recordedUsage } from '../../lambdas/accounting/recorded-usage.ts';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import type { TokenUsage } from '../../lambdas/accounting/usage.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { setReportedTags } from '../../lambdas/management/reported-tags.ts';
import { topUp, refund } from '../../lambdas/management/balance.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey, deleteKey } from '../../lambdas/management/keys.ts';
import { addMembers } from '../../lambdas/management/members.ts';
import { setTagBudget } from '../../lambdas/management/tag-budgets.ts';
import { findWorkspace } from '../../lambdas/management/workspaces.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { recordsSpreadUpdate, type Account } from '../../lambdas/store/accounts/accounts.ts';
import { ownerKinds, type Scope } from '../../lambdas/store/counters/counters.ts';
import { tagScope, tagText } from '../../lambdas/store/counters/tag-scopes.ts';
import type { Hold } from '../../lambdas/store/generations/generation.ts';
import { GENERATION_SHARDS, recordedId } from '../../lambdas/store/generations/generation-key.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import type { Outcome } from '../../lambdas/store/generations/outcome.ts';
import type { RequestTags } from '../../lambdas/store/generations/request-tags.ts';
import type { Payer } from '../../lambdas/store/accounts/payer.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { newRuledTable } from './table-rules/ruled-table.ts';
import { persistently, persistentlyOnce } from './persistence.ts';
import { holdRequest, outcome, placeHold, rub } from './spending.ts';

export interface History {
  table: Table;
  account: Account;
  /** UTC days, oldest first; the daily rows of all days except the last are computed. */
  dates: string[];
  /** Key hashes by name; the key "old server" was deleted. */
  keys: Record<string, string>;
  /** Total cost, added up by the test itself. */
  total: Money;
}

const actor = { kind: 'operator', id: 'test' } as const;

/** No float can represent these prices. */
const prices: Pricing = {
  prompt: rub('0.000123456789'),
  completion: rub('0.000987654321'),
  input_cache_read: rub('0.000012345679'),
  input_cache_write: rub('0.000154320987'),
  internal_reasoning: rub('0.001111111111'),
  thinking_completion: rub('0.001000000007'),
  request: rub('0.01'),
  image: rub('0.033333333333'),
  web_search: rub('0.99'),
  overrides: [{ min_prompt_tokens: 700, prompt: rub('0.000246913578'), completion: rub('0.001481481481') }],
};

/** Returns the usage of a generation, which depends only on the index. */
function usageAt(index: number): TokenUsage {
  const of = (most: number, by: number) => (index * by) % most;
  return {
    inputTokens: 1 + of(900, 37),
    outputTokens: 5 + of(400, 53),
    ...(index % 3 === 0 ? { cacheReadTokens: of(300, 11), cacheWrite5mTokens: of(80, 7) } : {}),
    ...(index % 4 === 0 ? { reasoningTokens: of(5, 3) } : {}),
    ...(index % 10 === 0 ? { pricedImages: 2 } : {}),
  };
}

/**
 * Returns the outcome of a generation. Depending on the index, the generation has several rounds and searches, is cut
 * to its hold, fails without cost, or is an ordinary answer.
 */
function outcomeAt(index: number, { amount, scopes }: Hold): Outcome {
  const base = { ...outcome(Money.zero), pricing: prices, model: `test/model-${index % 3}` };
  if (index % 17 === 0)
    return { ...base, promptTokens: 0, completionTokens: 0, cancelled: true, ending: 'refused_before' };
  const usages = index % 5 === 0 ? [usageAt(index), usageAt(index + 1)] : [usageAt(index)];
  const searchRequests = index % 5 === 0 ? 2 : null;
  const searched = (prices.web_search ?? Money.zero).times(searchRequests ?? 0);
  const cost = Money.sum([...usages.map((usage) => priceUsage(usage, prices).total), searched]);
  const isCut = scopes.length > 0 && cost.exceeds(amount);
  const rounds = usages.map(recordedUsage);
  const sum = (name: keyof (typeof rounds)[number]) => {
    const known = rounds.flatMap((round) => round[name] ?? []);
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
  };
  return {
    ...base,
    cost: isCut ? amount : cost,
    capped: isCut,
    promptTokens: sum('promptTokens')!,
    completionTokens: sum('completionTokens')!,
    reasoningTokens: sum('reasoningTokens'),
    cachedTokens: sum('cachedTokens'),
    cacheWrite5mTokens: sum('cacheWrite5mTokens'),
    pricedImages: sum('pricedImages'),
    rounds: rounds.length > 1 ? rounds : [],
    searchRequests,
  };
}

const reportedTags = ['project', 'cost-center'];

/** Values of tags, most of which have characters that are special in a row's name, a CSV line or a query. */
const awkwardValues = ['lake', 'a#b', 'a', 'b#~c', '=1+1', 'x,y;"z"', 'Озеро 🌊', "it's", '$.M', '~other', '\u2028'];

/**
 * Returns the tags of a generation. Every fourth generation has no tags; the other generations have an unreported tag,
 * and up to two reported tags.
 */
function tagsAt(index: number): RequestTags | undefined {
  if (index % 4 === 3) return undefined;
  return {
    ...(index % 4 === 0 ? {} : { project: awkwardValues[index % awkwardValues.length]! }),
    ...(index % 3 === 0 ? { 'cost-center': awkwardValues[(index * 7) % awkwardValues.length]! } : {}),
    trace: `t${index}`,
  };
}

export interface RuledHistory extends History {
  stop: () => Promise<void>;
}

/** Creates a history in a table with DynamoDB's rules, which rejects or loses up to a fifth of all requests. */
export async function makeRuledHistory(of: HistoryTerms & { withParts?: boolean }): Promise<RuledHistory> {
  // The long form of the tests changes the same items in quick succession, so transactions lock items only briefly.
  const ruled = await newRuledTable({ transactionMs: 1 });
  if (of.withParts) await allowParts(ruled.table);
  const history = await ruled.inTrouble(() => makeHistory(ruled.table, of));
  return { ...history, stop: ruled.stop };
}

interface HistoryTerms {
  generations: number;
  days?: number;
  mode?: 'prepaid' | 'postpaid';
  nowMs?: number;
}

/**
 * Makes a history.
 * @param of.generations on each of `of.days` days; the last day is today
 * @param of.mode a prepaid account gets a payment of about a million roubles and a refund of about ten
 */
export async function makeHistory(table: Table, of: HistoryTerms): Promise<History> {
  const { generations, days = 3, mode = 'prepaid', nowMs = Date.now() } = of;
  const created = await persistently(() => createAccount(table, actor, { name: 'Acme, "ООО"', mode }));
  const dates = Array.from({ length: days }, (_, index) => utcDate(nowMs - (days - 1 - index) * DAY_MS));
  const account = await withSpreadRecords(table, created, Date.parse(dates.at(-2) ?? dates[0]!) + DAY_MS / 2);
  const context: ChangeContext = { table, accountId: account.id, actor };
  await persistently(() => setReportedTags(context, { reported: reportedTags }));
  if (mode === 'prepaid') {
    await persistently(() => topUp(context, { amount: rub('1000010.5'), reference: 'invoice-1', note: 'Счёт 1' }));
    await persistently(() => refund(context, { amount: rub('10.25'), reference: 'invoice-1-back' }));
  }
  const payers = await makePayers(context, account);
  await persistently(() => setTagBudget(context, { ...budgetedTag, interval: 'lifetime', limit: tagLimit }));
  let total = Money.zero;
  for (const date of dates) {
    // Today's generations must not be in the future.
    const spanMs = Math.min(DAY_MS, nowMs - Date.parse(date));
    total = total.plus(await spend(table, { account, payers, date, generations, spanMs }));
  }
  for (const date of dates.slice(0, -1)) await rollUp(table, account.id, date);
  await persistentlyOnce(() => deleteKey(context, { hash: payers[1]!.keyHash }), 'not_found');
  const [first, second, third] = payers;
  const keys = { server: first!.keyHash, 'old server': second!.keyHash, '=laptop': third!.keyHash };
  return { table, account, dates, keys, total };
}

async function withSpreadRecords(table: Table, account: Account, sinceMs: number): Promise<Account> {
  const recordsSpreadSince = new Date(sinceMs).toISOString();
  await persistently(() => writeAlone(table, recordsSpreadUpdate(table, account, recordsSpreadSince)));
  return { ...account, recordsSpreadSince };
}

async function makePayers(context: ChangeContext, { id: accountId, defaultWorkspaceId }: Account): Promise<Payer[]> {
  await persistently(async () => {
    const workspace = await findWorkspace(context.table, accountId, defaultWorkspaceId);
    return addMembers(context, workspace, ['ann', 'bob']);
  });
  const wanted = [{ name: 'server', memberId: 'ann' }, { name: 'old server', memberId: 'bob' }, { name: '=laptop' }];
  const payers: Payer[] = [];
  for (const { name, memberId } of wanted) {
    const settings = { kind: 'inference', workspaceId: defaultWorkspaceId, name, memberId } as const;
    const { key } = await persistently(() => createKey(context, 'pepper', settings));
    payers.push({ accountId, workspaceId: defaultWorkspaceId, memberId, keyHash: key.hash });
  }
  return payers;
}

/** The value of this tag has characters that must be encoded. */
const budgetedTag = { name: 'project', value: 'озеро #1/a=b' };
const countedTag = tagText(budgetedTag.name, budgetedTag.value);
const tagLimit = rub('1000000.25');

async function spend(
  table: Table,
  of: { account: Account; payers: Payer[]; date: string; generations: number; spanMs: number },
): Promise<Money> {
  const { account, payers, date, generations, spanMs } = of;
  const lastMs = Date.parse(date) + spanMs - 1;
  let total = Money.zero;
  for (let start = 0; start < generations; start += 20) {
    const count = Math.min(20, generations - start);
    const settlements = await Promise.all(
      Array.from({ length: count }, async (_, offset): Promise<Settlement> => {
        const index = start + offset;
        const untagged = payers[index % payers.length]!;
        const payer = index % 4 === 0 ? { ...untagged, countedTags: [countedTag] } : untagged;
        // The first generation of a day is at its start. The last one is at its end, or now if the day is today.
        const atMs =
          generations === 1 ? lastMs : Date.parse(date) + Math.floor((spanMs - 1) * (index / (generations - 1)));
        const request = holdRequest({ payer, scopes: scopesOf(account, payer) }, rub('3'), { atMs });
        const id = recordedId(account, request.generation.id);
        const priced = { ...request, generation: { ...request.generation, id, pricing: prices, tags: tagsAt(index) } };
        const { hold } = await persistently(() => placeHold(table, priced));
        return { generationId: id, payer, hold, outcome: outcomeAt(index, hold) };
      }),
    );
    await persistently(async () => {
      const results = await settleBatch(table, settlements, { swept: false });
      const failed = results.find((result) => result instanceof Error);
      if (failed) throw failed;
    });
    total = total.plus(Money.sum(settlements.map(({ outcome: { cost } }) => cost)));
  }
  return total;
}

/** Returns the scopes of a payer. The account (if it is prepaid) and the tag have limits. */
function scopesOf(account: Account, payer: Payer): Scope[] {
  const { accountId, workspaceId, memberId, keyHash, countedTags = [] } = payer;
  const ids = { key: keyHash, workspace: workspaceId, account: accountId, member: `${workspaceId}/${memberId}` };
  const isLimited = account.mode === 'prepaid';
  const ofTags = countedTags.map((tag): Scope => {
    return { ...tagScope(accountId, tag), limits: { lifetime: tagLimit }, revision: 1 };
  });
  const ofOwners = ownerKinds
    .filter((kind) => kind !== 'member' || memberId !== undefined)
    .map((kind) => ({
      kind,
      id: ids[kind],
      limits: kind === 'account' && isLimited ? { lifetime: rub('1000000.25') } : {},
      revision: kind === 'account' && isLimited ? 2 : 0,
    }));
  return [...ofOwners, ...ofTags];
}

async function rollUp(table: Table, accountId: string, date: string): Promise<void> {
  for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) {
    await persistently(() => rollUpShard(table, { accountId, date, shard, sinceMs: Date.now() + 60_000 }));
  }
}
