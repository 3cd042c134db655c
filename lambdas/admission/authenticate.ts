import { readPepper, readPeppers } from '../platform/secrets/secrets.ts';
import type { Table } from '../store/table/table.ts';
import { findCaller, type Caller } from './caller.ts';
import { hashSecret, unknownKey } from './credentials.ts';

/**
 * Finds the caller of a key. Keys are stored as hashes with a secret of the deployment (pepper). If no key has the hash
 * with the cached pepper, the function tries the current and the previous pepper. Keys therefore stay valid after a
 * change of the pepper.
 *
 * Cost: as `findCaller`, plus one read if the key was hashed with the previous pepper.
 * Weakness: a process reads the peppers again at most once in five minutes, and any unknown key may cause such a read.
 * If that read is shortly before the pepper changes, the process may refuse a new key for up to five minutes.
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
