import { conflict, GatewayError, invalidRequest } from '../platform/errors.ts';
import { addressHash, type Mails } from '../platform/mails.ts';
import { MAX_ADDRESSES, readAlertAddresses, replaceAlertAddresses } from '../store/alerts/alert-addresses.ts';
import type { Table } from '../store/table/table.ts';
import { retryOnConflict } from './change.ts';

/** Maximum number of e-mail addresses of an account, including unused addresses that the operator has not removed. */
export const MAX_ADDRESSES_OF_ACCOUNT = 20;

/**
 * Subscribes an account's address to e-mails, which begin after the owner of the address has confirmed.
 *
 * Guarantee: the address is in the list before it is subscribed, so concurrent changes do not exceed the limits.
 * @throws {GatewayError} 400 if the account has used too many addresses, the deployment sends no e-mails, or SNS
 *   rejects the address; 409 if the deployment has no room for more addresses, or if other changes keep interfering
 */
export async function subscribeAddress(
  table: Table,
  accountId: string,
  { mails, email }: { mails: Mails | undefined; email: string },
): Promise<void> {
  if (!mails) throw invalidRequest('email', 'cannot be used: this gateway sends no e-mails');
  const address = { accountId, hash: addressHash(email) };
  const isNew = await retryOnConflict(() => enterAddress(table, address));
  try {
    await mails.subscribe(email);
  } catch (error) {
    // An address that SNS has rejected takes no room.
    if (isNew && error instanceof GatewayError) await removeAddress(table, address);
    throw error;
  }
}

export interface Address {
  accountId: string;
  hash: string;
}

/**
 * Adds an address to the list, if it is not there yet.
 * @returns whether the address is new in the list; undefined if another change was faster
 * @throws {GatewayError} 400 if the account has used its maximum of addresses; 409 if the list is full
 */
async function enterAddress(table: Table, address: Address): Promise<boolean | undefined> {
  const before = await readAlertAddresses(table);
  const own = before.addresses.filter(({ accountId }) => accountId === address.accountId);
  if (own.some(({ hash }) => hash === address.hash)) return false;
  if (own.length >= MAX_ADDRESSES_OF_ACCOUNT) {
    const most = `the account has used ${MAX_ADDRESSES_OF_ACCOUNT} addresses, the maximum`;
    throw invalidRequest('email', `cannot be a further address: ${most}. Use one of them, or a webhook`);
  }
  if (before.addresses.length >= MAX_ADDRESSES) throw noRoomForAddress();
  return (await replaceAlertAddresses(table, before, [...before.addresses, address])) ? true : undefined;
}

/** Removes an address from the list, which makes room for another. Throws a 409 if other changes keep interfering. */
export async function removeAddress(table: Table, { accountId, hash }: Address): Promise<void> {
  await retryOnConflict(async () => {
    const before = await readAlertAddresses(table);
    const others = before.addresses.filter((one) => one.accountId !== accountId || one.hash !== hash);
    return (await replaceAlertAddresses(table, before, others)) ? true : undefined;
  });
}

function noRoomForAddress(): GatewayError {
  return conflict('This gateway has no room for further e-mail addresses. Use a webhook.', { field: 'email' });
}
