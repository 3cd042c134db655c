import { Option, type Command } from 'commander';
import { createAccount, setAccountPrivacy, topUp } from '../../lambdas/management/accounts.ts';
import { readPepper } from '../../lambdas/platform/secrets.ts';
import { nameRule, referenceRule } from '../../lambdas/management/rules.ts';
import { Money } from '../../lambdas/money/money.ts';
import {
  accountModes,
  listAccountIds,
  listTopUps,
  readAccount,
  type AccountMode,
} from '../../lambdas/store/accounts.ts';
import { readCounter } from '../../lambdas/store/counters.ts';
import { privacyAttribute } from '../../lambdas/store/privacy.ts';
import { callbackSecret } from '../../lambdas/videos/callback-secret.ts';
import { parseBoolean, parsePositive, textBy } from './arguments.ts';
import type { Row } from './output.ts';
import { accountRow, shownAccount } from './rows.ts';
import { onAccount, onTable, operator, type Session, type TableSession } from './session.ts';

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('customers of the gateway');
  accounts
    .command('create')
    .description('create an account with its Default workspace')
    .requiredOption('--name <name>', '', textBy(nameRule))
    .addOption(new Option('--mode <mode>', 'how it pays').choices([...accountModes]).default('postpaid'))
    .action(onTable(create, { mayCreate: true }));
  accounts
    .command('list')
    .description('list all accounts, what they have spent, and what prepaid ones have left')
    .action(onTable(list, { shown: shownAccount }));
  accounts
    .command('privacy')
    .description('which providers may see prompts of the account; without flags, shows it')
    .option('--block-logging <true or false>', 'exclude providers that keep prompts', parseBoolean)
    .option('--block-training <true or false>', 'exclude providers that train on prompts', parseBoolean)
    .option('--allowed-providers <ids>', 'comma-separated; "all" lifts the rule', parseProviders)
    .option('--ignored-providers <ids>', 'comma-separated; "none" lifts the rule', parseProviders)
    .action(onAccount(changePrivacy));
  accounts
    .command('top-up')
    .description('add money to a prepaid account')
    .requiredOption('--amount <rub>', 'roubles, for example 1500.50', parsePositive)
    .option('--note <text>', 'what the payment was for')
    .option('--reference <id>', 'of the payment: with the same one, it is booked once', textBy(referenceRule))
    .action(onAccount(addMoney));
  program
    .command('top-ups')
    .description('money that was added to prepaid accounts')
    .command('list')
    .description('list the top-ups of the account, oldest first')
    .action(onAccount(listMoney));
  accounts
    .command('callback-secret')
    .description('what the account checks callbacks about its videos with')
    .action(onAccount(showCallbackSecret));
}

async function create({ table }: TableSession, given: { name: string; mode: AccountMode }): Promise<Row> {
  return accountRow(await createAccount(table, operator(), given));
}

async function list({ table }: TableSession) {
  const rows: ReturnType<typeof accountRow>[] = [];
  for await (const { id } of listAccountIds(table)) {
    const [account, counter] = await Promise.all([readAccount(table, id), readCounter(table, { kind: 'account', id })]);
    if (account) rows.push(accountRow(account, counter));
  }
  return rows;
}

async function listMoney({ table, accountId }: Session): Promise<Row[]> {
  const topUps = await listTopUps(table, accountId);
  return topUps.map(({ createdAt, amount, note, id }) => ({
    created_at: createdAt,
    amount_rub: amount.toString(),
    note: note ?? null,
    id,
  }));
}

interface PrivacyOptions {
  blockLogging?: boolean;
  blockTraining?: boolean;
  allowedProviders?: string[];
  ignoredProviders?: string[];
}

async function changePrivacy({ changes }: Session, given: PrivacyOptions): Promise<Row> {
  const account = await setAccountPrivacy(changes, given);
  return { account: account.id, ...privacyAttribute(account.privacy) };
}

async function addMoney(
  { changes }: Session,
  given: { amount: Money; note?: string; reference?: string },
): Promise<Row> {
  const { id, account, wasBooked } = await topUp(changes, given);
  return {
    top_up: id,
    account: account.id,
    added_rub: (wasBooked ? Money.zero : given.amount).toString(),
    was_booked_before: wasBooked,
    total_rub: account.limits.lifetime!.toString(),
  };
}

async function showCallbackSecret({ accountId }: Session): Promise<Row> {
  return { account: accountId, callback_secret: callbackSecret(await readPepper(), accountId) };
}

function parseProviders(text: string): string[] {
  return text === 'all' || text === 'none' ? [] : text.split(',').map((id) => id.trim());
}
