import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
let key: string;
beforeAll(async () => {
  gateway = await commonGateway();
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'first', limit: 5 });
  key = `/keys/${body.data.hash}`;
});

describe('a null in a change', () => {
  it('keeps fields that cannot be cleared, and clears the others', async () => {
    const change = { name: null, disabled: null, limit: null };
    const { status, body } = await manage(gateway, 'PATCH', key, change);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ name: 'first', disabled: false, limit: null });
    const workspace = await manage(gateway, 'PATCH', '/workspaces/default', {
      name: null,
      slug: null,
      description: 'x',
    });
    expect(workspace.body.data).toMatchObject({ slug: 'default', description: 'x' });
  });

  it.each([{}, { name: null }, { disabled: null, name: null }])('changes nothing with %j', async (change) => {
    const { status, body } = await manage(gateway, 'PATCH', key, change);
    expect(status).toBe(400);
    expect(body.error.metadata.field).toBe('body');
  });
});
