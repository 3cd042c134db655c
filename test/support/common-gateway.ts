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

const actor = { kind: 'operator', id: 'test' } as const;

/**
 * Returns a client of the shared gateway, with an account of its own. Use it for behavior that clients see. If a test
 * stops the gateway, reads its log or changes its settings, it must start its own.
 */
export async function commonGateway(): Promise<GatewayClient> {
  const { dataDirectory, ...addresses } = await onDemand<CommonGateway>(COMMON_GATEWAY);
  const { pepper } = JSON.parse(readFileSync(join(dataDirectory, 'secrets.json'), 'utf8')) as { pepper: string };
  const table = tableOf(dataDirectory);
  const { id: accountId, defaultWorkspaceId: workspaceId } = await createAccount(table, actor, {
    name: 'Local',
    mode: 'postpaid',
  });
  const context = { table, accountId, actor };
  const [{ secret: key }, { secret: managementKey }] = await Promise.all([
    createKey(context, pepper, { kind: 'inference', workspaceId, name: 'First key' }),
    createKey(context, pepper, { kind: 'management', name: 'First management key' }),
  ]);
  return { ...addresses, key, managementKey, accountId, workspaceId, table: () => table };
}
