import { removeAddress, type Address } from '../../../lambdas/management/alert-addresses.ts';
import { conflict, notFound } from '../../../lambdas/platform/errors.ts';
import { addressHash, openSns } from '../../../lambdas/platform/mails.ts';
import { descendantsOf, readXml, xmlText, type XmlElement } from '../../../lambdas/search/backends/xml.ts';
import { readAlertAddresses } from '../../../lambdas/store/alerts/alert-addresses.ts';
import { listAlertSettings } from '../../../lambdas/store/alerts/alert-settings.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';

/**
 * `none`: there is no subscription, or another account uses the address. `unconfirmed`: SNS deletes the subscription 48
 * hours after it was made, and accepts no earlier removal.
 * @see https://repost.aws/knowledge-center/sns-email-subscription-disabled
 */
type FreedSubscription = 'none' | 'unconfirmed' | 'removed';

/**
 * Removes an address that no settings of its account have: the subscription, then the entry in the list. An interrupted
 * command can be repeated.
 * @param topicArn topic of the deployment; undefined for a local gateway, which writes e-mails as files
 * @throws {GatewayError} 404 for an address that is not in the list; 409 if settings have the address
 * @throws {Error} if SNS fails
 */
export async function freeAddress(
  table: Table,
  { accountId, hash }: Address,
  topicArn: string | undefined,
): Promise<FreedSubscription> {
  const { addresses } = await readAlertAddresses(table);
  if (!addresses.some((one) => one.accountId === accountId && one.hash === hash))
    throw notFound('The account has no such address. List addresses with "alerts addresses list".');
  if ((await emailsInUse(table, accountId)).has(hash))
    throw conflict('Alerts of the account use this address. Replace it there first, with "alerts set".');
  const isShared = addresses.some((one) => one.accountId !== accountId && one.hash === hash);
  const freed = topicArn === undefined || isShared ? 'none' : await unsubscribe(topicArn, hash);
  await removeAddress(table, { accountId, hash });
  return freed;
}

/** Returns the e-mail addresses in an account's settings, by their hashes. */
export async function emailsInUse(table: Table, accountId: string): Promise<Map<string, string>> {
  const settings = await listAlertSettings(table, accountId);
  return new Map(settings.flatMap(({ email }) => (email === undefined ? [] : [[addressHash(email), email]])));
}

async function unsubscribe(topicArn: string, hash: string): Promise<FreedSubscription> {
  const sns = openSns();
  let next: string | undefined;
  do {
    const text = await sns('ListSubscriptionsByTopic', {
      TopicArn: topicArn,
      ...(next === undefined ? {} : { NextToken: next }),
    });
    const answer = readXml(text);
    if (!answer) throw new Error('SNS answered without XML');
    const found = descendantsOf(answer, 'member').find((one) => addressHash(textOf(one, 'Endpoint') ?? '') === hash);
    if (found) {
      const arn = textOf(found, 'SubscriptionArn') ?? '';
      // SNS lists "PendingConfirmation" instead of an ARN.
      if (!arn.startsWith('arn:')) return 'unconfirmed';
      await sns('Unsubscribe', { SubscriptionArn: arn });
      return 'removed';
    }
    next = textOf(answer, 'NextToken');
  } while (next !== undefined);
  return 'none';
}

function textOf(element: XmlElement, name: string): string | undefined {
  const [found] = descendantsOf(element, name);
  return found && xmlText(found);
}
