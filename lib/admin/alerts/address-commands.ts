import type { Command } from 'commander';
import { optionalVariable, variables } from '../../../lambdas/platform/environment.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { addressHash } from '../../../lambdas/platform/mails.ts';
import { readAlertAddresses } from '../../../lambdas/store/alerts/alert-addresses.ts';
import type { Row } from '../../shared/output.ts';
import { onAccount, onTable, type Session, type TableSession } from '../session/session.ts';
import { emailsInUse, freeAddress } from './free-address.ts';

interface RemoveOptions {
  address: string;
  mailTopic?: string;
}

export function addAddressCommands(alerts: Command): void {
  const addresses = alerts.command('addresses').description('e-mail addresses that count towards the limits');
  addresses
    .command('list')
    .description('list the addresses of all accounts; "email" is empty if no settings have the address')
    .action(onTable(addressRows));
  addresses
    .command('remove')
    .description('remove an address that no settings have, and its subscription')
    .requiredOption('--address <e-mail or hash>', 'e-mail address, or hash from "alerts addresses list"')
    .option('--mail-topic <arn>', 'topic in the output MailTopicArn of the deployment; required on AWS')
    .action(onAccount(removeUnused));
}

async function addressRows({ table }: TableSession): Promise<Row[]> {
  const { addresses } = await readAlertAddresses(table);
  const accounts = [...new Set(addresses.map(({ accountId }) => accountId))];
  const emails = new Map(await Promise.all(accounts.map(async (id) => [id, await emailsInUse(table, id)] as const)));
  return addresses.map(({ accountId, hash }) => ({
    account: accountId,
    hash,
    email: emails.get(accountId)!.get(hash) ?? null,
  }));
}

async function removeUnused({ table, accountId, local }: Session, given: RemoveOptions): Promise<Row> {
  const hash = given.address.includes('@') ? addressHash(given.address) : given.address;
  const topicArn = local ? undefined : (given.mailTopic ?? optionalVariable(variables.mailTopic));
  if (!local && topicArn === undefined) throw invalidRequest('--mail-topic', 'is required on AWS');
  return { account: accountId, hash, subscription: await freeAddress(table, { accountId, hash }, topicArn) };
}
