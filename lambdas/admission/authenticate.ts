import { readPepper, readPeppers } from '../platform/secrets/secrets.ts';
import type { Table } from '../store/table/table.ts';
import { findCaller, type Caller } from './caller.ts';
import { hashSecret, unknownKey } from './credentials.ts';

/**
 * Finds the caller of a key. Keys are stored as hashes with a secret of the deployment (pepper). If no key has the hash
 * with the cached pepper, the current and the previous pepper are tried. So keys stay valid after a change of the
 * pepper.
 *
 * Cost: as `findCaller`. A key of the previous pepper costs one more read each time its caller is read.
 * Weakness: peppers are read again at most once in five minutes, and an attempt with an unknown key can cause that read
 * shortly before the pepper changes. A process started before a change of the pepper may then refuse a new key for up
 * to five minutes.
 * @throws {GatewayError} 401 for an unknown, disabled, expired or deleted key, a removed member or an archived
 *   workspace
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
