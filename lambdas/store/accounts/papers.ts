/** Papers of accounts: whom they are for, and which were issued with which rounding. Amounts elsewhere are exact; on a paper they are kopecks. */

import { queryItems, readItem } from '../table/query.ts';
import { flag, instant, list, money, nested, optional, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { put, putNew, type Key, type Write } from '../table/writes.ts';

const partyRecord = record({
  /** The organisation's name, as it stands on papers. */
  name: text('name'),
  /** Taxpayer's number (ИНН), and code of the reason of registration (КПП). */
  inn: text('inn'),
  kpp: optional(text('kpp')),
  address: text('address'),
  contract: optional(text('contract')),
  /** In percent; "none" without VAT. */
  vat: text('vat_rate'),
  /** Whether what is charged contains the tax. */
  includesVat: flag('prices_include_vat'),
});
/** Who gets an account's papers, and how they are taxed. */
export type Party = RecordOf<typeof partyRecord>;

export const partyAttributes = partyRecord.attributes;

const carriedRecord = record({ month: text('month'), amount: money('amount_rub') });

/** More months than are looked at again. */
const MAX_CHANGED_MONTHS = 12;

const paperRecord = record({
  month: text('month'),
  number: text('number'),
  /** Whose days: a month of Moscow begins three hours before that of UTC. */
  zone: text('period_zone'),
  /** The thing that each line is for, which decides how kopecks are shared out. */
  by: text('lines_by'),
  /** The organisation that it is for, and how it is taxed, as it was said then. */
  party: nested('party', partyRecord),
  /** The exact sum of the month. */
  exact: money('exact_rub'),
  /** The amounts by which earlier months have changed since their papers. */
  changes: list('changes', carriedRecord, MAX_CHANGED_MONTHS),
  /** The amount that earlier papers were short of; below zero where they said too much. */
  carriedIn: money('carried_in_rub'),
  /** In whole kopecks. */
  total: money('total_rub'),
  carriedOut: money('carried_out_rub'),
  issuedAtMs: instant('issued_at'),
});
/** A closing paper of a month: amounts in RUB before VAT is added, or with it where prices contain it. */
export type Paper = RecordOf<typeof paperRecord>;

export const paperAttributes = paperRecord.attributes;

function partyKey(accountId: string): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: 'PARTY' };
}

export async function readParty(table: Table, accountId: string): Promise<Party | undefined> {
  const item = await readItem(table, partyKey(accountId));
  return item && partyRecord.from(item);
}

export function partyPut(table: Table, accountId: string, party: Party): Write {
  return put(table, { ...partyKey(accountId), entity: 'party', ...partyRecord.toItem(party) });
}

/** All papers of an account, oldest month first. */
export async function listPapers(table: Table, accountId: string): Promise<Paper[]> {
  const papers: Paper[] = [];
  const items = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': `ACCOUNT#${accountId}`, ':prefix': 'PAPER#' },
  });
  for await (const item of items) papers.push(paperRecord.from(item));
  return papers;
}

/** The paper of a month that has none yet. */
export function paperPut(table: Table, accountId: string, paper: Paper): Write {
  return putNew(table, {
    pk: `ACCOUNT#${accountId}`,
    sk: `PAPER#${paper.month}`,
    entity: 'paper',
    ...paperRecord.toItem(paper),
  });
}
