/**
 * Closing documents of accounts (акты): the recipient of an account's documents, and the issued documents with their
 * rounding. Totals of documents are in whole kopecks; all other amounts are exact.
 */

import { queryItems, readItem } from '../table/query.ts';
import { flag, instant, list, money, nested, optional, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { put, putNew, type Key, type Write } from '../table/writes.ts';

const partyRecord = record({
  /** Name of the organization for documents. */
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
/** Recipient of an account's documents, with its taxation. */
export type Party = RecordOf<typeof partyRecord>;

export const partyAttributes = partyRecord.attributes;

const carriedRecord = record({ month: text('month'), amount: money('amount_rub') });

/**
 * Maximum number of earlier months whose changes one document lists. The command that issues documents checks fewer
 * months.
 */
const MAX_CHANGED_MONTHS = 12;

const paperRecord = record({
  month: text('month'),
  number: text('number'),
  /**
   * Time zone in which the month begins and ends. For example, a month in Moscow begins three hours before the month in
   * UTC.
   */
  zone: text('period_zone'),
  /**
   * Dimension by which the document's lines are split (`--by`). It determines how the rounding is distributed over the
   * lines.
   */
  by: text('lines_by'),
  /** Recipient of the document and its taxation, at the time of issue. */
  party: nested('party', partyRecord),
  /** Sum of the month's charges and adjustments before rounding, without `changes`. */
  exact: money('exact_rub'),
  /** Changes of earlier months since their documents were issued. */
  changes: list('changes', carriedRecord, MAX_CHANGED_MONTHS),
  /** Amount by which earlier documents were too low; negative if they were too high. */
  carriedIn: money('carried_in_rub'),
  /** Total of the document, in whole kopecks. */
  total: money('total_rub'),
  carriedOut: money('carried_out_rub'),
  issuedAtMs: instant('issued_at'),
});
/** A closing document for a month. Amounts are in RUB, and include VAT only if prices include it. */
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

/** Returns all documents of an account, oldest month first. */
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

/** Returns the write of a month's document. It fails if the month already has a document. */
export function paperPut(table: Table, accountId: string, paper: Paper): Write {
  return putNew(table, {
    pk: `ACCOUNT#${accountId}`,
    sk: `PAPER#${paper.month}`,
    entity: 'paper',
    ...paperRecord.toItem(paper),
  });
}
