import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, shippedCatalog, type CatalogDirectory } from '../support/catalog.ts';
import { stopUpstreams, upstream, type Seen } from '../support/direct-upstream.ts';
import { eventually } from '../support/eventually.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { spendingBodies, spendingRoutes } from '../support/spending-bodies.ts';

/** No provider may get these values. */
const planted = {
  header: 'planted-in-header',
  field: 'planted-in-field',
  user: 'planted-user',
  session: 'planted-session',
  trace: 'planted-trace',
};

const shipped = (name: string) => JSON.parse(readFileSync(join(shippedCatalog, name), 'utf8')) as never;

/** Returns copies of the sandbox's models and providers at this address, with names that begin with `recorded`. */
function recordedModels(url: string): [models: object[], providers: object[]] {
  const { models } = shipped('models/sandbox.json') as { models: object[] };
  const { providers } = shipped('providers.json') as { providers: { id: string; base_url_variable?: string }[] };
  const renamed = JSON.stringify(models).replaceAll('"sandbox/', '"recorded/').replaceAll('"sandbox-', '"recorded-');
  const at = providers.filter(({ id }) => id.startsWith('sandbox-'));
  return [
    JSON.parse(renamed) as object[],
    at.map(({ base_url_variable: _variable, ...provider }) => ({
      ...provider,
      id: provider.id.replace('sandbox-', 'recorded-'),
      base_url: url,
    })),
  ];
}

let provider: Seen;
const headers: string[] = [];
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  provider = await upstream((response, request) => {
    headers.push(JSON.stringify([request.url, request.rawHeaders]));
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
  });
  catalog = catalogDirectory(...recordedModels(provider.url));
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
afterAll(async () => {
  await gateway.stop();
  await stopUpstreams();
  catalog.remove();
});

describe('a provider', () => {
  it.each(spendingRoutes)('gets neither tags nor the ids of user, session and trace: %s', async (name, path) => {
    const before = provider.bodies.length;
    const { user, session, trace } = planted;
    const body = {
      ...(JSON.parse(JSON.stringify(spendingBodies[name]).replace('sandbox/', 'recorded/')) as object),
      ...(name === 'create-message' ? {} : { user }),
      session_id: session,
      trace: { trace_id: trace },
      metadata: { ...(name === 'create-message' ? { user_id: user } : {}), tags: { project: planted.field } },
    };

    await (await post(gateway, path, body, { 'x-gateway-tags': `team=${planted.header}` })).text();

    await eventually(() => expect(provider.bodies.length).toBeGreaterThan(before));
    const sent = [...provider.bodies.slice(before), ...headers.slice(before)].join('\n');
    expect(sent).not.toMatch(/planted|x-gateway-tags|"tags"/i);
  });
});

describe('the log', () => {
  it('has no tags of requests, neither if their provider refuses them nor if the gateway does', async () => {
    const { header, field } = planted;
    const body = { ...spendingBodies['create-message'], metadata: { tags: { project: field, team: ' ' } } };

    const refused = await post(gateway, '/messages', body, { 'x-gateway-tags': header });

    expect(refused.status).toBe(400);
    await eventually(() => expect(gateway.log()).toContain('"field":"x-gateway-tags"'));
    expect(gateway.log()).not.toContain('planted');
  });
});
