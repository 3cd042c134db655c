import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { get, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const currentKey = async (secret: string) =>
  ((await (await get(gateway, '/key', secret)).json()) as { data: Record<string, unknown> }).data;

describe('an API key', () => {
  it('has its creation as the time of its last update, until it is changed', async () => {
    const { body: created } = await manage(gateway, 'POST', '/keys', { name: 'new' });
    expect(created.data.updated_at).toBe(created.data.created_at);
    const { body: changed } = await manage(gateway, 'PATCH', `/keys/${created.data.hash}`, { name: 'changed' });
    expect(Date.parse(changed.data.updated_at as string)).toBeGreaterThan(
      Date.parse(created.data.created_at as string),
    );
  });

  it('has its kind under both names', async () => {
    expect(await currentKey(gateway.managementKey)).toMatchObject({
      is_management_key: true,
      is_provisioning_key: true,
    });
    expect(await currentKey(gateway.key)).toMatchObject({ is_management_key: false, is_provisioning_key: false });
  });
});
