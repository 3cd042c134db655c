import { readAccount } from '../store/accounts/accounts.ts';
import { readKey } from '../store/accounts/keys.ts';
import { readWorkspace } from '../store/accounts/workspaces.ts';
import type { ScopeId } from '../store/counters/counters.ts';
import { tagOfScope } from '../store/counters/tag-scopes.ts';
import type { Table } from '../store/table/table.ts';

export interface ScopeName {
  /** Name of the scope for people, for example `key "Ann's laptop"`. */
  name: string;
  /** Page of the console about the scope, without `#/`. */
  page: string;
}

/** Returns the name of a scope for people. Cost: one read, and none for a member or a tag. */
export async function readScopeName(table: Table, accountId: string, scope: ScopeId): Promise<ScopeName> {
  const { kind, id } = scope;
  switch (kind) {
    case 'key': {
      const key = await readKey(table, id);
      return { name: `key "${key?.name ?? id.slice(0, 12)}"`, page: `generations?key=${id}` };
    }
    case 'workspace': {
      const workspace = await readWorkspace(table, accountId, id);
      return { name: `workspace "${workspace?.name ?? id}"`, page: `workspaces/${id}` };
    }
    case 'member': {
      const [workspaceId = '', ...member] = id.split('/');
      const memberId = member.join('/');
      const page = `members/${encodeURIComponent(memberId)}?workspace=${encodeURIComponent(workspaceId)}`;
      return { name: `member "${memberId}"`, page };
    }
    case 'account': {
      const account = await readAccount(table, accountId);
      return { name: `account "${account?.name ?? id}"`, page: 'overview' };
    }
    default: {
      const { name, value } = tagOfScope(scope);
      return { name: `tag "${name}=${value}"`, page: 'tags' };
    }
  }
}
