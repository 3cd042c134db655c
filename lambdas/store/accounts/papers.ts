/** Closing documents of accounts (акты). Totals are in whole kopecks; all other amounts are exact. */

import { queryItems, readItem } from '../table/query.ts';
import { flag, instant, list, money, nested, optional, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { put, putNew, type Key, type Write } from '../table/writes.ts';

const partyRecord = record({
  name: text('name'),
  /** Taxpayer number (ИНН), and tax registration reason code (КПП). */
  inn: text('inn'),
  kpp: optional(text('kpp')),
  address: text('address'),
  contract: optional(text('contract')),
  /** VAT rate in percent, or "none" without VAT. */
  vat: text('vat_rate'),
  /** Whether charged amounts include VAT. */
  includesVat: flag('prices_include_vat'),
});
export type Party = RecordOf<typeof partyRecord>;

export const partyAttributes = partyRecord.attributes;

const carriedRecord = record({ month: text('month'), amount: money('amount_rub') });

/** Maximum number of earlier months whose changes one document lists. */
const MAX_CHANGED_MONTHS = 12;

const paperRecord = record({
  month: text('month'),
  number: text('number'),
  /** Time zone in which the month begins and ends. */
  zone: text('period_zone'),
  /** Dimension by which the document's lines are split. */
  by: text('lines_by'),
  /** Recipient of the document and its taxation, at the time of issue. */
  party: nested('party', partyRecord),
  /** Sum of the month's charges and adjustments before rounding, without `changes`. */
  exact: money('exact_rub'),
  /** Changes of earlier months since their documents were issued. */
  changes: list('changes', carriedRecord, MAX_CHANGED_MONTHS),
  /** Amount by which earlier documents were too low; negative if they were too high. */
  carriedIn: money('carried_in_rub'),
  total: money('total_rub'),
  carriedOut: money('carried_out_rub'),
  issuedAtMs: instant('issued_at'),
});
/** An issued document. Its amounts include VAT only if `includesVat` of the recipient (`party`) is true. */
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

/** Returns documents, oldest month first. */
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

/** Returns the write of a new document. It fails if the month already has a document. */
export function paperPut(table: Table, accountId: string, paper: Paper): Write {
  return putNew(table, {
    pk: `ACCOUNT#${accountId}`,
    sk: `PAPER#${paper.month}`,
    entity: 'paper',
    ...paperRecord.toItem(paper),
  });
}
