import { readKey } from '../store/keys.ts';
import type { Table } from '../store/table.ts';
import { readWorkspace } from '../store/workspaces.ts';

/** What people call a key. */
export interface KeyName {
  name: string;
  label: string;
}

/**
 * Names of an account's keys and workspaces, each read once. A deleted key keeps its record, and a workspace that has a history is
 * archived, so both keep their names. A member's name is its id.
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

  key(hash: string): Promise<KeyName> {
    return remembered(this.#keys, hash, async () => {
      const { name = '', label = '' } = (await readKey(this.#table, hash)) ?? {};
      return { name, label };
    });
  }

  /** Its slug. */
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
