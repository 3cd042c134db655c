import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { readPepper } from '../../lambdas/platform/secrets.ts';
import { readAccount } from '../../lambdas/store/accounts.ts';
import type { Table } from '../../lambdas/store/table.ts';
import type { LocalState } from './state.ts';

/** The account of a local gateway; keys are only there when this start has made them. */
export interface Account {
  accountId: string;
  workspaceId: string;
  inferenceKey: string | null;
  managementKey: string | null;
}

/** On a first start, makes an account with its Default workspace and one key of each kind. */
export async function bootstrap(table: Table, state: LocalState): Promise<Account> {
  const known = state.bootstrapped();
  if (known && (await readAccount(table, known.account_id))) {
    return { accountId: known.account_id, workspaceId: known.workspace_id, inferenceKey: null, managementKey: null };
  }
  const account = await createAccount(table, { name: 'Local', mode: 'postpaid' });
  const workspaceId = account.defaultWorkspaceId;
  const pepper = await readPepper();
  const [inference, management] = await Promise.all([
    createKey(table, pepper, { kind: 'inference', accountId: account.id, workspaceId, name: 'First key' }),
    createKey(table, pepper, { kind: 'management', accountId: account.id, name: 'First management key' }),
  ]);
  state.saveBootstrapped({ account_id: account.id, workspace_id: workspaceId });
  return { accountId: account.id, workspaceId, inferenceKey: inference.secret, managementKey: management.secret };
}
