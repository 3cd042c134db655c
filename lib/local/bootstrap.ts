import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { readPepper } from '../../lambdas/platform/secrets/secrets.ts';
import { readAccount } from '../../lambdas/store/accounts/accounts.ts';
import type { Actor } from '../../lambdas/store/accounts/audit.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { LocalState } from '../shared/data-directory/state.ts';

/** Keys are not stored, so they are null unless this start has created them. */
export interface LocalAccount {
  accountId: string;
  workspaceId: string;
  inferenceKey: string | null;
  managementKey: string | null;
}

const operator: Actor = { kind: 'operator', id: 'first start' };

/**
 * Creates an account with its Default workspace and one key of each kind, or returns the account of an earlier start.
 */
export async function bootstrap(table: Table, state: LocalState): Promise<LocalAccount> {
  const known = state.bootstrapped();
  if (known && (await readAccount(table, known.account_id))) {
    return { accountId: known.account_id, workspaceId: known.workspace_id, inferenceKey: null, managementKey: null };
  }
  const account = await createAccount(table, operator, { name: 'Local', mode: 'postpaid' });
  const context = { table, accountId: account.id, actor: operator };
  const workspaceId = account.defaultWorkspaceId;
  const pepper = await readPepper();
  const [inference, management] = await Promise.all([
    createKey(context, pepper, { kind: 'inference', workspaceId, name: 'First key' }),
    createKey(context, pepper, { kind: 'management', name: 'First management key' }),
  ]);
  state.saveBootstrapped({ account_id: account.id, workspace_id: workspaceId });
  return { accountId: account.id, workspaceId, inferenceKey: inference.secret, managementKey: management.secret };
}
