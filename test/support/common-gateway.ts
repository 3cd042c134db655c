/** Gateway that test files share, because starting a gateway takes a second. Each file has its own account. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { tableOf, type GatewayAddresses, type GatewayClient } from './gateway.ts';
import { onDemand } from './on-demand.ts';

/** Name by which test processes request the shared gateway. They get its data as a `CommonGateway`. */
export const COMMON_GATEWAY = 'common-gateway';
export type CommonGateway = GatewayAddresses & { dataDirectory: string };

type NewAccount = Pick<GatewayClient, 'key' | 'managementKey' | 'accountId' | 'workspaceId'>;

const actor = { kind: 'operator', id: 'test' } as const;

/**
 * Returns a client of the shared gateway, with an account of its own. Use it for behavior that clients see. If a test
 * stops the gateway, reads its log or changes its settings, it must start its own.
 */
export async function commonGateway(): Promise<GatewayClient> {
  const { dataDirectory, ...addresses } = await onDemand<CommonGateway>(COMMON_GATEWAY);
  const table = tableOf(dataDirectory);
  return { ...addresses, ...(await newAccount(dataDirectory)), table: () => table };
}

/**
 * Creates an account of a gateway, with a workspace, an inference key and a management key. The operator's command line
 * does the same in half a second of CPU per command.
 */
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
