/** The gateway that files of tests have in common, each with an account of its own: starting one takes a second. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { tableOf, type GatewayAddresses, type GatewayClient } from './gateway.ts';
import { onDemand } from './on-demand.ts';

/** The name of the part of a run, and the part. */
export const COMMON_GATEWAY = 'common-gateway';
export type CommonGateway = GatewayAddresses & { dataDirectory: string };

const actor = { kind: 'operator', id: 'test' } as const;

/**
 * A client of the gateway of this run, of an account that nobody else spends. For tests that look at what clients see: whoever stops a
 * gateway, reads its log or changes its settings starts one.
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
