/**
 * Closing document of a month (акт, УПД) with the account's charges in kopecks. The rounding remainder is carried over
 * to the next document.
 */

import { daysOfMonth, periodOf } from '../../../lambdas/books/period.ts';
import { isProven, readStatement, type Statement } from '../../../lambdas/books/statement.ts';
import type { Dimension } from '../../../lambdas/books/spending.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { conflict, GatewayError } from '../../../lambdas/platform/errors.ts';
import type { Account } from '../../../lambdas/store/accounts/accounts.ts';
import { listPapers, type Paper, type Party } from '../../../lambdas/store/accounts/papers.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { roundLines } from './kopecks.ts';

/** Ways to divide a document's spending into lines: a single line, or a line for each value of a dimension. */
export const lineSplits = ['nothing', 'model', 'workspace', 'key', 'member'] as const;
export type LineSplit = (typeof lineSplits)[number];

export interface ActQuestion {
  account: Account;
  month: string;
  zone: string;
  number: string;
  by: LineSplit;
  party: Party;
}

export interface ActLine {
  /** The value of the dimension ("" for a single line), the month of a change, or the id of an adjustment. */
  subject: string;
  kind: 'spending' | 'change' | 'adjustment';
  exact: Money;
  amount: Money;
}

export interface Act {
  paper: Paper;
  lines: ActLine[];
  /** Whether `paper` is a document that was already issued. */
  isIssued: boolean;
}

/** Number of earlier months that are checked for changes made after their documents were issued. */
const MONTHS_READ = 2;

/**
 * Creates the closing document of a month from its records, or reads it again if it was already issued.
 * @throws {GatewayError} 400 if the month is not over or the time zone is unknown; 409 if requests are not settled, if
 *   the records contradict each other or the issued document, if the options differ from the issued or last document,
 *   or if documents would not be issued in the order of months
 */
export async function makeAct(table: Table, question: ActQuestion): Promise<Act> {
  const { account, month, zone, number, by, party } = question;
  const papers = await listPapers(table, account.id);
  const issued = papers.find((paper) => paper.month === month);
  const before = papers.filter((paper) => paper.month < month);
  const last = before.at(-1);
  checkOrder(question, { last, later: papers.at(-1), issued });
  if (issued && issued.by !== by) {
    throw conflict(`The document of ${month} was issued with --by ${issued.by}. Repeat the command with this option.`);
  }
  const statement = await statementOf(table, account, { month, zone: issued?.zone ?? zone, by });
  const changes = issued ? [...issued.changes] : await changesSince(table, account, before);
  const lines = [...spendingLines(statement, by), ...changes.map(changeLine), ...adjustmentLines(statement)];
  const exact = Money.sum(lines.filter(({ kind }) => kind !== 'change').map((line) => line.exact));
  const carriedIn = issued?.carriedIn ?? last?.carriedOut ?? Money.zero;
  const rounded = roundLines(
    lines.map((line) => line.exact),
    carriedIn,
  );
  if (issued && !issued.exact.equals(exact)) {
    throw conflict(
      `The document of ${month} has ${issued.exact} RUB, but its records now add up to ${exact} RUB. The next document will contain the difference.`,
    );
  }
  const paper: Paper = issued ?? {
    month,
    number,
    zone,
    by,
    party,
    exact,
    changes,
    carriedIn,
    total: rounded.total,
    carriedOut: rounded.carriedOut,
    issuedAtMs: nowMs(),
  };
  const withAmounts = lines.map((line, index): ActLine => ({ ...line, amount: rounded.lines[index]! }));
  return { paper, lines: withAmounts, isIssued: issued !== undefined };
}

/**
 * Checks that a document has a line with an exact amount other than zero.
 * @throws {GatewayError} 409 if it has none
 */
export function requireLines({ paper: { month }, lines }: Act): void {
  if (lines.some(({ exact }) => !exact.isZero)) return;
  throw conflict(
    `${month} has no lines, so no document was issued. To issue one for 0 RUB, repeat the command with --empty.`,
  );
}

function checkOrder(
  { month, zone }: ActQuestion,
  { last, later, issued }: { last: Paper | undefined; later: Paper | undefined; issued: Paper | undefined },
): void {
  if (issued) return;
  const { endMs } = periodOf({ ...daysOfMonth(month), zone });
  if (nowMs() < endMs)
    throw new GatewayError('invalid_request', `${month} is not over yet (${zone}). Choose an earlier month.`);
  if (later && later.month > month)
    throw conflict(`${later.month} already has a document, and documents are issued in order of months.`);
  if (!last) return;
  if (last.zone !== zone) {
    throw conflict(
      `The last document (${last.month}) uses the time zone ${last.zone}. Use --zone ${last.zone}, so that no hour is missing.`,
    );
  }
  const next = monthAfter(last.month);
  if (next !== month) throw conflict(`The last document is for ${last.month}. Issue ${next} first.`);
}

function monthAfter(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}

async function statementOf(
  table: Table,
  account: Account,
  { month, zone, by }: { month: string; zone: string; by: LineSplit },
): Promise<Statement> {
  const split: Dimension[] = by === 'nothing' ? [] : [by];
  const period = periodOf({ ...daysOfMonth(month), zone });
  const statement = await readStatement(table, { account, period, by: split, filter: {} });
  const { pending, proofs } = statement;
  if (pending.generations > 0) {
    throw conflict(`${pending.generations} requests of ${month} are not settled yet. Try again later.`);
  }
  if (!isProven({ proofs })) {
    throw conflict(
      `The books of ${month} contradict each other. Run "statement --month ${month}" to see the differences.`,
    );
  }
  return statement;
}

function spendingLines(statement: Statement, by: LineSplit): Omit<ActLine, 'amount'>[] {
  if (by === 'nothing') {
    const { usage } = statement.total;
    return usage.isZero ? [] : [{ subject: '', kind: 'spending', exact: usage }];
  }
  return statement.rows
    .filter(({ usage }) => !usage.isZero)
    .map(({ values, usage }) => ({ subject: values[0]!, kind: 'spending', exact: usage }));
}

/** Returns a line for each adjustment of the account. A credit reduces the charge. */
function adjustmentLines({ payments }: Statement): Omit<ActLine, 'amount'>[] {
  return payments
    .filter(({ kind }) => kind === 'adjustment')
    .map(({ id, amount }) => ({ subject: id, kind: 'adjustment', exact: amount.negated() }));
}

function changeLine({ month, amount }: { month: string; amount: Money }): Omit<ActLine, 'amount'> {
  return { subject: month, kind: 'change', exact: amount };
}

/** Returns the changes to recent months since their documents were issued, unless a later document contains them. */
async function changesSince(
  table: Table,
  account: Account,
  papers: readonly Paper[],
): Promise<{ month: string; amount: Money }[]> {
  const changes: { month: string; amount: Money }[] = [];
  for (const { month, zone, exact } of papers.slice(-MONTHS_READ)) {
    const statement = await statementOf(table, account, { month, zone, by: 'nothing' });
    const now = Money.sum(
      [...spendingLines(statement, 'nothing'), ...adjustmentLines(statement)].map((line) => line.exact),
    );
    const included = papers.flatMap((paper) => paper.changes).filter((change) => change.month === month);
    const amount = now.minus(exact).minus(Money.sum(included.map((change) => change.amount)));
    if (!amount.isZero) changes.push({ month, amount });
  }
  return changes;
}
