import { readPepper, readPeppers } from '../platform/secrets/secrets.ts';
import type { Table } from '../store/table/table.ts';
import { findCaller, type Caller } from './caller.ts';
import { hashSecret, unknownKey } from './credentials.ts';

/**
 * Finds the caller of a key. Keys are stored as hashes with a secret of the deployment (pepper), and stay valid for one
 * change of the pepper: the current and the previous pepper are tried.
 *
 * Weakness: an unknown key may cause a read of the peppers, at most once in five minutes. A new key may be refused for
 * up to five minutes after a change of the pepper.
 * @throws {GatewayError} 401 for an unknown key, and in the cases of `findCaller`, such as a disabled key
 */
export async function authenticate(table: Table, secret: string): Promise<Caller> {
  const atHand = await readPepper();
  const known = await findCaller(table, hashSecret(atHand, secret));
  if (known) return known;
  const { current, previous } = await readPeppers();
  for (const pepper of [current, previous]) {
    if (pepper === undefined || pepper === atHand) continue;
    const caller = await findCaller(table, hashSecret(pepper, secret));
    if (caller) return caller;
  }
  throw unknownKey();
}
