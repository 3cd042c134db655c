/** Gateway that test files share, each with its own account. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { tableOf, type GatewayAddresses, type GatewayClient } from './gateway.ts';
import { onDemand } from './on-demand.ts';

/** Test processes request the shared gateway by this name. */
export const COMMON_GATEWAY = 'common-gateway';
export type CommonGateway = GatewayAddresses & { dataDirectory: string };

type NewAccount = Pick<GatewayClient, 'key' | 'managementKey' | 'accountId' | 'workspaceId'>;

const actor = { kind: 'operator', id: 'test' } as const;

/**
 * Returns a client of the shared gateway, with an account of its own. A test that stops the gateway, reads its log or
 * changes its settings must start another gateway.
 */
export async function commonGateway(): Promise<GatewayClient> {
  const { dataDirectory, ...addresses } = await onDemand<CommonGateway>(COMMON_GATEWAY);
  const table = tableOf(dataDirectory);
  return { ...addresses, ...(await newAccount(dataDirectory)), table: () => table };
}

/** Creates an account with a workspace, an inference key and a management key. */
export async function newAccount(dataDirectory: string, name = 'Local'): Promise<NewAccount> {
  const { pepper } = JSON.parse(readFileSync(join(dataDirectory, 'secrets.json'), 'utf8')) as { pepper: string };
  const table = tableOf(dataDirectory);
  const account = await createAccount(table, actor, { name, mode: 'postpaid' });
  const { id: accountId, defaultWorkspaceId: workspaceId } = account;
  const context = { table, accountId, actor };
  const [{ secret: key }, { secret: managementKey }] = await Promise.all([
    createKey(context, pepper, { kind: 'inference', workspaceId, name: 'First key' }),
    createKey(context, pepper, { kind: 'management', name: 'First management key' }),
  ]);
  return { key, managementKey, accountId, workspaceId };
}
