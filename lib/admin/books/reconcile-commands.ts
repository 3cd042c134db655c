import { Option, type Command } from 'commander';
import { isCompleted } from '../../../lambdas/accounting/activity-days.ts';
import { reconcileBudgets } from '../../../lambdas/books/reconcile-budgets.ts';
import { beginChain } from '../../../lambdas/books/lifetime-chain.ts';
import { reconcile, type BookFinding, type Reconciliation } from '../../../lambdas/books/reconcile.ts';
import { DAY_MS, datesBetween, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { invalidRequest, notFound } from '../../../lambdas/platform/errors.ts';
import { listAccountIds, readAccount, type Account } from '../../../lambdas/store/accounts/accounts.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { parseDate } from '../command-line/arguments.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { showProgress } from '../command-line/progress.ts';
import { endWithVerdict } from '../command-line/reported-difference.ts';
import { withTableOf } from '../session/session.ts';

interface ReconcileOptions {
  day?: string;
  deep: boolean;
  prove: boolean;
}

const DAYS_BACK = 30;

export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description('compare records, daily rows, counters and payments; exit code 1 if they differ')
    .addOption(
      new Option('--day <UTC day>', `only this day; default: the last ${DAYS_BACK} completed ones`).argParser(
        parseDate,
      ),
    )
    .option('--deep', 'read every record of the account (or day), and compute its cost again', false)
    .option(
      '--prove',
      'with --deep: start a new baseline for the nightly check of lifetime sums, for accounts without differences; needed once for accounts older than that check',
      false,
    )
    .action((options: ReconcileOptions, command: Command) =>
      withTableOf(command, (table, { account, json }) =>
        reconcileAccounts(table, { ...options, account, isJson: json }),
      ),
    );
}

async function reconcileAccounts(
  table: Table,
  { account: named, isJson, ...options }: ReconcileOptions & { account: string | undefined; isJson: boolean },
): Promise<void> {
  if (options.prove && (!options.deep || options.day !== undefined)) {
    throw invalidRequest('--prove', 'requires --deep without --day, because all records must be read');
  }
  const results: (Reconciliation & { account: Account })[] = [];
  for (const account of await accountsNamed(table, named)) {
    const dates = datesOf(account, options);
    const result = await reconcile(table, {
      account,
      dates,
      isDeep: options.deep,
      isWhole: options.deep && options.day === undefined,
      progress: showProgress(`${account.name}: compared`, dates.length),
    });
    results.push({ account, ...result });
    if (options.prove && result.findings.length === 0) {
      await beginChain(table, account, { scopes: result.scopes, date: utcDate(nowMs() - DAY_MS) });
    }
  }
  const budgets = options.deep && named === undefined ? await budgetFindings(table, options.day) : [];
  const isSound = budgets.length === 0 && results.every(({ findings }) => findings.length === 0);
  if (isJson) print({ sound: isSound, accounts: results.map(accountJson), budgets }, true);
  else process.stdout.write(reconciliationText(results, budgets, { isSound, isDeep: options.deep }));
  endWithVerdict(isSound);
}

/**
 * Compares the budgets of free models, which all accounts share, with the records. A budget's counter is deleted two
 * days after its day, so only recent days can be compared.
 */
async function budgetFindings(table: Table, day: string | undefined): Promise<BookFinding[]> {
  const completed = datesBetween(utcDate(nowMs() - 2 * DAY_MS), utcDate(nowMs() - DAY_MS));
  const findings: BookFinding[] = [];
  for (const date of completed.filter((one) => day === undefined || one === day)) {
    for (const { model, part, spent, recorded } of await reconcileBudgets(table, date)) {
      findings.push({
        kind: 'budget',
        where: `${date} ${model}, part ${part}`,
        says: spent.toString(),
        expected: recorded.toString(),
      });
    }
  }
  return findings;
}

async function accountsNamed(table: Table, id: string | undefined): Promise<Account[]> {
  const ids = id === undefined ? (await Array.fromAsync(listAccountIds(table))).map((entry) => entry.id) : [id];
  const accounts = await Promise.all(ids.map((each) => readAccount(table, each)));
  if (id !== undefined && !accounts[0])
    throw notFound(`There is no account "${id}". List accounts with "accounts list".`);
  return accounts.filter((account) => account !== undefined);
}

function datesOf({ createdAt }: Account, { day, deep }: ReconcileOptions): string[] {
  if (day !== undefined) return [day];
  const today = utcDate(nowMs());
  const first = deep ? createdAt.slice(0, today.length) : utcDate(nowMs() - DAYS_BACK * DAY_MS);
  const dates = datesBetween(first, today);
  return deep ? dates : dates.filter((date) => isCompleted(date, nowMs()));
}

function accountJson({ account, compared, findings }: Reconciliation & { account: Account }): Row {
  return { account: account.id, name: account.name, compared, findings };
}

function reconciliationText(
  results: (Reconciliation & { account: Account })[],
  budgets: readonly BookFinding[],
  of: { isSound: boolean; isDeep: boolean },
): string {
  const rows = results.map(({ account, compared, findings }): Row => {
    return { account: account.name, ...compared, differ: findings.length, id: account.id };
  });
  const ofBudgets = { account: { name: 'all' }, findings: budgets };
  const findings = [...results, ofBudgets].flatMap(({ account, findings: found }) =>
    found.map(({ kind, where, says, expected }): Row => ({
      account: account.name,
      what: kind,
      says,
      expected,
      id: where,
    })),
  );
  const list = findings.length === 0 ? '' : `\n${asTable(findings)}`;
  return `${asTable(rows)}${list}\n${verdictOf(results, of)}\n`;
}

function verdictOf(
  results: readonly Reconciliation[],
  { isSound, isDeep }: { isSound: boolean; isDeep: boolean },
): string {
  if (!isSound) return 'The books do NOT agree. The table above lists the differences.';
  const isEmpty = results.every(({ compared }) => Object.values(compared).every((count) => count === 0));
  if (isEmpty && isDeep) return 'There was nothing to compare: there are no records, daily rows or payments.';
  if (isEmpty)
    return 'There was nothing to compare, because no day has its daily rows yet. Use --deep to compare the records themselves.';
  return 'The books agree.';
}
