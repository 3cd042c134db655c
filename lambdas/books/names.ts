import { keyFrom, keyItemKey, readKey, type KeyTags } from '../store/accounts/keys.ts';
import { readItems } from '../store/table/query.ts';
import type { Table } from '../store/table/table.ts';
import { readWorkspace } from '../store/accounts/workspaces.ts';

export interface KeyName {
  name: string;
  label: string;
  tags: KeyTags;
}

/**
 * Reads the names of an account's keys and workspaces, and caches them. Deleted keys and archived workspaces keep their
 * names.
 */
export class Names {
  readonly #table: Table;
  readonly #accountId: string;
  readonly #keys = new Map<string, Promise<KeyName>>();
  readonly #workspaces = new Map<string, Promise<string>>();

  constructor(table: Table, accountId: string) {
    this.#table = table;
    this.#accountId = accountId;
  }

  /** Reads the names of many keys in batches. */
  async loadKeys(hashes: readonly string[]): Promise<void> {
    const wanted = [...new Set(hashes)].filter((hash) => !this.#keys.has(hash));
    for (const item of await readItems(this.#table, wanted.map(keyItemKey))) {
      const { hash, name, label, tags = {} } = keyFrom(item);
      this.#keys.set(hash, Promise.resolve({ name, label, tags }));
    }
  }

  key(hash: string): Promise<KeyName> {
    return remembered(this.#keys, hash, async () => {
      const { name = '', label = '', tags = {} } = (await readKey(this.#table, hash)) ?? {};
      return { name, label, tags };
    });
  }

  /** Returns the slug of a workspace; empty if it does not exist. */
  workspace(id: string): Promise<string> {
    return remembered(this.#workspaces, id, async () => {
      return (await readWorkspace(this.#table, this.#accountId, id))?.slug ?? '';
    });
  }
}

function remembered<Value>(known: Map<string, Promise<Value>>, id: string, read: () => Promise<Value>): Promise<Value> {
  const value = known.get(id) ?? read();
  known.set(id, value);
  return value;
}
