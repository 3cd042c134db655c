import type { Command } from 'commander';
import { findKey } from '../../../lambdas/management/keys.ts';
import { keyListsOf } from '../../../lambdas/management/stopped-keys.ts';
import { invalidRequest, notFound } from '../../../lambdas/platform/errors.ts';
import { allKeys } from '../../../lambdas/store/accounts/key-directory.ts';
import { keyFrom, keyItemKey, type ApiKey } from '../../../lambdas/store/accounts/keys.ts';
import { readItems } from '../../../lambdas/store/table/query.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import type { Session } from '../session/session.ts';

export interface KeyOption {
  key: string;
}

/** Adds the option that selects a key by name, label or hash. */
export function naming(command: Command): Command {
  return command.requiredOption(
    '--key <name, label or hash>',
    'name or label of the key, or at least the first 4 digits of its hash',
  );
}

const WHOLE_HASH = /^[0-9a-f]{64}$/;
const HASH_PREFIX = /^[0-9a-f]{4,63}$/;
const MAX_NAMED = 5;

/**
 * Finds the key that the option selects.
 * @throws {GatewayError} 404 if no key matches; 400 with a list if several match
 */
export async function namedKey(session: Session, named: string): Promise<ApiKey> {
  const found = await namedKeys(session, named);
  if (found.length === 1) return found[0]!;
  const several = found.slice(0, MAX_NAMED).map(({ hash, name, label }) => `${hash.slice(0, 12)} (${name}, ${label})`);
  const more = found.length > MAX_NAMED ? `, and ${found.length - MAX_NAMED} more` : '';
  throw invalidRequest('--key', `"${named}" matches ${several.join(', ')}${more}; use the hash`);
}

/**
 * Finds all keys that the option selects; several keys may have the same name.
 * @throws {GatewayError} 404 if no key matches
 */
export async function namedKeys({ table, accountId }: Session, named: string): Promise<ApiKey[]> {
  if (WHOLE_HASH.test(named)) return [await findKey(table, accountId, named)];
  const isMeant = ({ name, label, hash }: ApiKey) =>
    name === named || label === named || (HASH_PREFIX.test(named) && hash.startsWith(named));
  const found = (await keysOfAccount(table, accountId)).filter(isMeant);
  if (found.length > 0) return found;
  throw notFound(`There is no key "${named}". Use a name, label or hash from "keys list".`);
}

async function keysOfAccount(table: Table, accountId: string): Promise<ApiKey[]> {
  const hashes: string[] = [];
  for (const list of await keyListsOf(table, accountId)) hashes.push(...(await Array.fromAsync(allKeys(table, list))));
  return readKeys(table, hashes);
}

/** Reads keys by hash, in the given order, without deleted and unknown keys. */
export async function readKeys(table: Table, hashes: string[]): Promise<ApiKey[]> {
  const items = await readItems(table, hashes.map(keyItemKey));
  const byHash = new Map(items.map(keyFrom).map((key) => [key.hash, key]));
  return hashes.flatMap((hash) => byHash.get(hash) ?? []).filter(({ deleted }) => !deleted);
}
