import { randomUUID } from 'node:crypto';
import { Option, type Command } from 'commander';
import { loadCatalog } from '../../../lambdas/catalog/load.ts';
import {
  createAccount,
  renameAccount,
  setAccountPrivacy,
  setAccountStatus,
  setCreditLimit,
  spreadRecords,
  type CreditPeriod,
} from '../../../lambdas/management/accounts.ts';
import { alignKeys } from '../../../lambdas/management/stopped-keys.ts';
import { actorName } from '../../../lambdas/store/accounts/audit.ts';
import { adjust, refund, topUp, type Booked, type Payment } from '../../../lambdas/management/balance.ts';
import { nameRule, noteRule, referenceRule } from '../../../lambdas/management/rules.ts';
import { Money } from '../../../lambdas/money/money.ts';
import {
  accountModes,
  listAccountIds,
  listBalanceEntries,
  readAccount,
  type AccountMode,
  type AccountStatus,
} from '../../../lambdas/store/accounts/accounts.ts';
import { privacyFilter } from '../../../lambdas/protection/privacy.ts';
import { readCounter } from '../../../lambdas/store/counters/counters.ts';
import { privacyAttribute, type Privacy } from '../../../lambdas/store/accounts/privacy.ts';
import { callbackSecret } from '../../../lambdas/platform/secrets/callback-secret.ts';
import { StartFailure } from '../../shared/failure.ts';
import { whyUnreachable } from '../../shared/unreachable.ts';
import {
  limitOption,
  parseBoolean,
  parseLimit,
  parsePositive,
  parseSigned,
  textBy,
  type LimitArgument,
} from '../command-line/arguments.ts';
import type { Row } from '../../shared/output.ts';
import { accountRow, accountTableRow } from './rows.ts';
import { limitTexts } from './spending.ts';
import { operatorOf } from '../session/operator.ts';
import { operatorPepper } from '../session/operator-pepper.ts';
import { onAccount, onTable, type Session, type TableSession } from '../session/session.ts';

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('customers of the gateway');
  accounts
    .command('create')
    .description('create an account with its Default workspace')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .addOption(
      new Option('--mode <mode>', 'whether it pays later (postpaid) or in advance (prepaid)')
        .choices([...accountModes])
        .default('postpaid'),
    )
    .action(onTable(openAccount, { mayCreate: true }));
  accounts
    .command('list')
    .description('list all accounts with their spending, and the balance of prepaid ones')
    .action(onTable(accountRows, { shown: accountTableRow }));
  accounts
    .command('rename')
    .description('rename the account')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .action(onAccount(rename));
  accounts
    .command('privacy')
    .description('set which providers may receive prompts of the account; without options, print the settings')
    .option('--block-logging <true or false>', 'exclude providers that keep prompts', parseBoolean)
    .option('--block-training <true or false>', 'exclude providers that train on prompts', parseBoolean)
    .option('--allowed-providers <ids>', 'comma-separated; "all" removes the restriction', providersOr('all'))
    .option('--ignored-providers <ids>', 'comma-separated; "none" removes the restriction', providersOr('none'))
    .action(onAccount(changePrivacy));
  addMoneyCommands(program, accounts);
  accounts
    .command('limit')
    .description('set the spending limit of a postpaid account per period; applies from its next request')
    .addOption(new Option('--period <period>', 'in UTC').choices(creditPeriods).default('monthly'))
    .requiredOption('--limit <rub or none>', 'roubles; "none" removes the limit', parseLimit)
    .action(onAccount(limitAccount));
  for (const [name, status] of Object.entries(statusCommands)) {
    accounts
      .command(name)
      .description(statusDescriptions[status])
      .requiredOption('--reason <text>', 'reason, kept in the audit log', textBy(noteRule))
      .action(onAccount((session, given: { reason: string }) => changeStatus(session, { ...given, status })));
  }
  accounts
    .command('spread-records')
    .description(
      'spread new records of a busy account over many partitions; do not run it while functions of 0.2.0 or earlier use the table',
    )
    .action(onAccount(spread));
  accounts
    .command('callback-secret')
    .description('print the secret with which the account verifies callbacks about its videos')
    .action(onAccount(showCallbackSecret));
}

function addMoneyCommands(program: Command, accounts: Command): void {
  addPayment(accounts, 'top-up', 'add money to a prepaid account').action(onAccount(addMoney));
  addPayment(accounts, 'refund', 'deduct money from a prepaid account that was paid back or booked by mistake').action(
    onAccount(giveBack),
  );
  accounts
    .command('adjust')
    .description('correct the charges of the account by an entry in its ledger, with a reason')
    .requiredOption(
      '--amount <rub>',
      'roubles to credit; a negative amount is charged, for example --amount=-12.5',
      parseSigned,
    )
    .requiredOption('--reason <text>', 'reason, kept in the ledger', textBy(noteRule))
    .option(
      '--reference <id>',
      'reference of the adjustment: the same reference is booked only once',
      textBy(referenceRule),
    )
    .action(onAccount(adjustMoney));
  program
    .command('top-ups')
    .description('ledger of top-ups, refunds and adjustments')
    .command('list')
    .description('list the top-ups, refunds and adjustments of the account, oldest first')
    .action(onAccount(listMoney));
}

const creditPeriods: CreditPeriod[] = ['daily', 'weekly', 'monthly'];

const statusCommands = { suspend: 'suspended', resume: 'active', close: 'closed' } as const satisfies Record<
  string,
  AccountStatus
>;
const statusDescriptions: Record<AccountStatus, string> = {
  suspended: 'block all spending of the account; its data stays readable',
  active: 'reactivate a suspended or closed account',
  closed: 'disable all keys of the account; refund the balance of a prepaid account first',
};

function addPayment(accounts: Command, name: string, description: string): Command {
  return accounts
    .command(name)
    .description(description)
    .requiredOption('--amount <rub>', 'roubles, for example 1500.50', parsePositive)
    .option('--note <text>', 'purpose of the payment', textBy(noteRule))
    .option(
      '--reference <id>',
      'reference of the payment: the same reference is booked only once',
      textBy(referenceRule),
    );
}

async function openAccount({ table, local }: TableSession, given: { name: string; mode: AccountMode }): Promise<Row> {
  return accountRow(await createAccount(table, await operatorOf(local === undefined), given));
}

async function rename({ changes }: Session, { name }: { name: string }): Promise<Row> {
  const account = await renameAccount(changes, name);
  return { id: account.id, name: account.name };
}

async function accountRows({ table }: TableSession) {
  const rows: ReturnType<typeof accountRow>[] = [];
  for await (const { id } of listAccountIds(table)) {
    const [account, counter] = await Promise.all([readAccount(table, id), readCounter(table, { kind: 'account', id })]);
    if (account) rows.push(accountRow(account, counter));
  }
  return rows;
}

async function listMoney({ table, accountId }: Session): Promise<Row[]> {
  let total = Money.zero;
  const entries = await listBalanceEntries(table, accountId);
  return entries.map(({ createdAt, kind, amount, note, actor, id }) => {
    total = total.plus(amount);
    return {
      created_at: createdAt,
      kind,
      amount_rub: amount.toString(),
      total_rub: total.toString(),
      note: note ?? null,
      by: actor ? actorName(actor) : null,
      id,
    };
  });
}

interface PrivacyOptions {
  blockLogging?: boolean;
  blockTraining?: boolean;
  allowedProviders?: string[];
  ignoredProviders?: string[];
}

async function changePrivacy({ changes }: Session, given: PrivacyOptions): Promise<Row> {
  const account = await setAccountPrivacy(changes, given);
  return {
    account: account.id,
    ...privacyAttribute(account.privacy),
    models_excluded: excludedModels(account.privacy),
  };
}

function excludedModels(privacy: Privacy): number {
  const exclusionOf = privacyFilter([privacy]);
  return loadCatalog().models.filter(({ endpoints }) =>
    endpoints.every((endpoint) => exclusionOf(endpoint) !== undefined),
  ).length;
}

type GivenPayment = Omit<Payment, 'reference'> & { reference?: string };

async function addMoney({ changes }: Session, given: GivenPayment): Promise<Row> {
  const { reference, bookedRub, ...rest } = await bookPayment(given, (payment) => topUp(changes, payment));
  return { top_up: reference, added_rub: bookedRub, ...rest };
}

async function giveBack({ changes }: Session, given: GivenPayment): Promise<Row> {
  const { reference, bookedRub, ...rest } = await bookPayment(given, (payment) => refund(changes, payment));
  return { refund: reference, refunded_rub: bookedRub, ...rest };
}

async function adjustMoney(
  { changes }: Session,
  { reason, ...given }: { amount: Money; reason: string; reference?: string },
): Promise<Row> {
  const adjustment = { ...given, note: reason };
  const { reference, bookedRub, ...rest } = await bookPayment(adjustment, (payment) =>
    adjust(changes, { ...payment, note: reason }),
  );
  return { adjustment: reference, adjusted_rub: bookedRub, ...rest };
}

async function limitAccount(
  { changes }: Session,
  { period, limit }: { period: CreditPeriod; limit: LimitArgument },
): Promise<Row> {
  const account = await setCreditLimit(changes, { period, limit: limitOption(limit) });
  return { account: account.id, limits_rub: limitTexts(account.limits) };
}

async function spread({ changes }: Session): Promise<Row> {
  const account = await spreadRecords(changes);
  return { account: account.id, records_spread_since: account.recordsSpreadSince! };
}

/**
 * Changes the status of an account and of its keys. Keys are updated even if the account already has the status,
 * because an earlier command may have been interrupted.
 */
async function changeStatus({ table, changes }: Session, change: StatusChange): Promise<Row> {
  const account = await setAccountStatus(changes, change);
  const keys = await alignKeys(table, account.id);
  return { account: account.id, status: account.status ?? 'active', keys_changed: keys };
}

interface StatusChange {
  status: AccountStatus;
  reason: string;
}

/**
 * Books a payment. If no reference is given, creates one.
 * @throws {StartFailure} if the table did not reply; the message contains the reference, with which the operator can
 *   safely repeat the command
 */
async function bookPayment(given: GivenPayment, book: (payment: Payment) => Promise<Booked>) {
  const reference = given.reference ?? randomUUID();
  try {
    const { account, wasBooked: isBooked } = await book({ ...given, reference });
    const wasBooked = isBooked && given.reference !== undefined;
    return {
      reference,
      bookedRub: (wasBooked ? Money.zero : given.amount).toString(),
      account: account.id,
      was_booked_before: wasBooked,
      total_rub: account.limits.lifetime?.toString() ?? null,
    };
  } catch (error) {
    const reason = whyUnreachable(error);
    if (reason === undefined) throw error;
    throw new StartFailure(
      `There was no reply (${reason}), so the payment may or may not be booked. Repeat the command with --reference ${reference}, so that it is booked only once.`,
    );
  }
}

async function showCallbackSecret(session: Session): Promise<Row> {
  const { accountId } = session;
  return { account: accountId, callback_secret: callbackSecret(await operatorPepper(session), accountId) };
}

function providersOr(unrestricted: 'all' | 'none'): (text: string) => string[] {
  return (text) => (text === unrestricted ? [] : text.split(',').map((id) => id.trim()));
}
