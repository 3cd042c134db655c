import { readPepper, readPeppers } from '../platform/secrets/secrets.ts';
import type { Table } from '../store/table/table.ts';
import { findCaller, type Caller } from './caller.ts';
import { hashSecret, unknownKey } from './credentials.ts';

/**
 * Finds the caller of a key. One that nobody knows by the pepper at hand may be known by the one that came after it or
 * before it, so that a pepper that was changed, on purpose or not, shuts nobody out.
 *
 * Cost: as `findCaller`; for keys of the pepper before, once more, each time that their caller is read.
 * Weakness: the peppers are read again at most once in five minutes, and somebody who tries keys may have used that up:
 * a key made just after a change is then refused for as long by processes that were started before it.
 * @throws {GatewayError} 401 for an unknown, disabled, expired or deleted key, a removed member or archived workspace.
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
