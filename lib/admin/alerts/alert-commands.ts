import { InvalidArgumentError, Option, type Command } from 'commander';
import { deliveriesOf } from '../../../lambdas/alerts/publish-notice.ts';
import { hasDestination } from '../../../lambdas/alerts/alert-owners.ts';
import { testNotice } from '../../../lambdas/alerts/test-notice.ts';
import {
  accountAlerts,
  keyAlerts,
  readAppliedAlerts,
  setAlerts,
  workspaceAlerts,
  type AlertOwners,
  type AppliedAlerts,
} from '../../../lambdas/management/alerts.ts';
import { maskedWebhookUrl } from '../../../lambdas/management/webhook-secrets.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { conflict, invalidRequest, notFound } from '../../../lambdas/platform/errors.ts';
import { mailsThrough, openMails, type Mails } from '../../../lambdas/platform/mails.ts';
import { alertFormats, readAlertSettings, type AlertFormat } from '../../../lambdas/store/alerts/alert-settings.ts';
import {
  deliveryPut,
  deliveryRetry,
  listDeliveries,
  readDelivery,
  type AlertDelivery,
} from '../../../lambdas/store/alerts/deliveries.ts';
import { transact, writeAlone } from '../../../lambdas/store/table/transact.ts';
import { parseAmount, parseBaseUrl, wholeNumberUpTo } from '../command-line/arguments.ts';
import { namedKey } from '../accounts/named-key.ts';
import type { Row } from '../../shared/output.ts';
import { onAccount, type Session } from '../session/session.ts';
import { addAddressCommands } from './address-commands.ts';

interface OwnerOptions {
  workspace?: string;
  key?: string;
}

interface SetOptions extends OwnerOptions {
  thresholds?: number[];
  webhook?: string;
  format?: AlertFormat;
  chat?: string;
  email?: string;
  lowBalance?: Money;
  lowBalancePercent?: number;
  console?: string;
  mailTopic?: string;
  remove?: true;
}

const MAX_LISTED = 100;

export function addAlertCommands(program: Command): void {
  const alerts = program.command('alerts').description('notices about limits, budgets and balances');
  owned(alerts.command('set'))
    .description('replace the settings of the account, a workspace or a key')
    .option('--thresholds <percents>', 'parts of limits, such as 50,80,95,100; "none" sends nothing', parseThresholds)
    .option('--webhook <url>', 'URL to which notices are posted')
    .addOption(new Option('--format <format>', 'form of the posted JSON').choices([...alertFormats]))
    .option('--chat <id>', 'id of the Telegram chat')
    .option('--email <address>', 'address that gets e-mails after its owner has confirmed it', parseEmail)
    .option('--low-balance <rub>', 'balance of a prepaid account that counts as low', parseAmount)
    .option('--low-balance-percent <percent>', 'the same in percent of the last payment', wholeNumberUpTo(100))
    .option('--console <base URL>', 'address of the gateway, for links in notices', parseBaseUrl)
    .option('--mail-topic <arn>', 'topic in the output MailTopicArn of the deployment; required for e-mails on AWS')
    .option('--remove', 'remove the settings, so that the settings of the workspace or account apply')
    .action(onAccount(changeAlerts));
  owned(alerts.command('show')).description('show the settings in force').action(onAccount(showAlerts));
  owned(alerts.command('test'))
    .description('send a test notice to the destinations in force, within a minute')
    .action(onAccount(sendTest, { shown: deliveryTableRow }));
  alerts
    .command('deliveries')
    .description('list the notices of the last 30 days, newest first')
    .option('--limit <number>', 'most entries to list', wholeNumberUpTo(MAX_LISTED), 20)
    .action(onAccount(deliveryRows, { shown: deliveryTableRow }));
  alerts
    .command('retry')
    .description('send a notice again that was refused, or that failed for a day')
    .requiredOption('--delivery <id>', 'id from "alerts deliveries"')
    .action(onAccount(retryDelivery, { shown: deliveryTableRow }));
  addAddressCommands(alerts);
}

function owned(command: Command): Command {
  return command
    .option('--workspace <id or slug>', 'settings of this workspace instead of the account')
    .option('--key <name, label or hash>', 'settings of this key instead of the account');
}

async function ownersOf(session: Session, { workspace, key }: OwnerOptions): Promise<AlertOwners> {
  const { table, accountId } = session;
  if (key !== undefined && workspace !== undefined) throw invalidRequest('--key', 'cannot be used with --workspace');
  if (key !== undefined) return keyAlerts(table, accountId, (await namedKey(session, key)).hash);
  if (workspace !== undefined) return workspaceAlerts(table, accountId, workspace, 'read');
  return accountAlerts(accountId);
}

async function changeAlerts(session: Session, given: SetOptions): Promise<Row> {
  const owners = await ownersOf(session, given);
  const input = {
    thresholds: given.thresholds,
    webhookUrl: given.webhook,
    format: given.format,
    chatId: given.chat,
    email: given.email,
    lowBalance: given.lowBalance,
    lowBalancePercent: given.lowBalancePercent,
  };
  const isEmpty = Object.values(input).every((value) => value === undefined);
  if (isEmpty !== (given.remove === true))
    throw invalidRequest('--remove', isEmpty ? 'is required if there are no settings' : 'cannot be used with settings');
  if ((given.key ?? given.workspace) !== undefined && (given.lowBalance ?? given.lowBalancePercent) !== undefined)
    throw invalidRequest('--low-balance', 'is only for the account');
  const applied = await setAlerts(session.changes, owners, input, {
    mails: mailsOf(session, given),
    urlRules: { allowLoopback: session.local !== undefined },
    baseUrl: given.console ?? session.local?.running()?.base_url,
  });
  return alertsRow(applied);
}

/**
 * Returns the sender of e-mails; undefined if the deployment has no known topic. With a local gateway, the command
 * sends nothing: the gateway writes e-mails into its data directory.
 */
function mailsOf({ local }: Session, { mailTopic }: SetOptions): Mails | undefined {
  if (local) return { subscribe: async () => {}, send: async () => {} };
  return mailTopic === undefined ? openMails() : mailsThrough(mailTopic);
}

async function showAlerts(session: Session, given: OwnerOptions): Promise<Row> {
  return alertsRow(await readAppliedAlerts(session.table, session.accountId, await ownersOf(session, given)));
}

function alertsRow({ from, settings }: AppliedAlerts): Row {
  return {
    set_on: from === undefined ? null : `${from.kind} ${from.id}`,
    thresholds: settings.thresholds.length === 0 ? 'none' : settings.thresholds.join(','),
    webhook_url: maskedWebhookUrl(settings) ?? null,
    format: settings.format,
    chat_id: settings.chatId ?? null,
    email: settings.email ?? null,
    low_balance_rub: settings.lowBalance?.toString() ?? null,
    low_balance_percent: settings.lowBalancePercent ?? null,
  };
}

async function sendTest(session: Session, given: OwnerOptions): Promise<Row[]> {
  const { table, accountId } = session;
  const { from } = await readAppliedAlerts(table, accountId, await ownersOf(session, given));
  const settings = from && (await readAlertSettings(table, accountId, from));
  if (!settings || !hasDestination(settings))
    throw conflict('The settings in force have no destination. Set one with "alerts set".');
  const deliveries = deliveriesOf(settings, testNotice(settings), nowMs());
  await transact(table, Object.fromEntries(deliveries.map((one) => [one.id, deliveryPut(table, one)])));
  return deliveries.map(deliveryRow);
}

async function deliveryRows({ table, accountId }: Session, { limit }: { limit: number }): Promise<Row[]> {
  return (await listDeliveries(table, accountId, { limit })).map(deliveryRow);
}

async function retryDelivery({ table, accountId }: Session, { delivery: id }: { delivery: string }): Promise<Row[]> {
  const delivery = await readDelivery(table, accountId, id);
  if (!delivery) throw notFound(`There is no delivery "${id}". List deliveries with "alerts deliveries".`);
  if (delivery.state === 'pending' || delivery.state === 'delivered')
    throw conflict(`The delivery is ${delivery.state}, so there is nothing to retry.`);
  const isChanged = await writeAlone(table, deliveryRetry(table, delivery, nowMs()));
  if (isChanged) throw conflict('Another retry has just begun.');
  return [deliveryRow({ ...delivery, state: 'pending' })];
}

function deliveryRow(delivery: AlertDelivery): Row {
  const { id, createdAtMs, type, channel, ownerKind, ownerId, state, attempts, reason, text } = delivery;
  const at = new Date(createdAtMs).toISOString();
  return { id, at, type, channel, set_on: `${ownerKind} ${ownerId}`, state, attempts, reason: reason ?? null, text };
}

function deliveryTableRow({ id, at, type, channel, state, attempts, reason }: Row): Row {
  return { id, at, type, channel, state, attempts, reason };
}

function parseThresholds(text: string): number[] {
  if (text === 'none') return [];
  const numbers = text.split(',').map(Number);
  if (numbers.length <= 10 && numbers.every((one) => Number.isInteger(one) && one >= 1 && one <= 100)) return numbers;
  throw new InvalidArgumentError('Use up to ten whole numbers from 1 to 100, such as 50,80,95,100, or "none".');
}

function parseEmail(text: string): string {
  if (/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(text)) return text;
  throw new InvalidArgumentError('Use one e-mail address.');
}
