import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { HttpResponse } from '../../lambdas/http/response.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { addMembers } from '../../lambdas/management/members.ts';
import { findWorkspace } from '../../lambdas/management/workspaces.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { functions } from '../../lambdas/routes.ts';
import { restEvent } from '../support/rest-events.ts';
import { newTable } from '../support/table.ts';

/** The local HTTP server might change events of API Gateway, so tests pass them directly to the handlers. */

let directory: string;
let workspaceId: string;
let authorization: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-events-'));
  const secrets = join(directory, 'secrets.json');
  const pepper = randomUUID();
  writeFileSync(secrets, JSON.stringify({ pepper }));
  const table = await newTable();
  vi.stubEnv(variables.tableName, table.name);
  vi.stubEnv(variables.dynamodbEndpoint, inject('dynamodbEndpoint'));
  vi.stubEnv(variables.secretsFile, secrets);
  const actor = { kind: 'operator', id: 'test' } as const;
  const account = await createAccount(table, actor, { name: 'Bell', mode: 'postpaid' });
  workspaceId = account.defaultWorkspaceId;
  const context = { table, accountId: account.id, actor };
  await addMembers(context, await findWorkspace(table, account.id, workspaceId), ['ann@example.com']);
  const { secret } = await createKey(context, pepper, { kind: 'management', name: 'test' });
  authorization = `Bearer ${secret}`;
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

async function run(name: string, event: APIGatewayProxyEvent) {
  const { handler } = (await import(
    /* @vite-ignore */ new URL(`../../lambdas/${functions[name]!.entry}`, import.meta.url).href
  )) as {
    handler: (event: APIGatewayProxyEvent, context: object) => Promise<HttpResponse>;
  };
  const { statusCode, body } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
  return { status: statusCode, text: body as string, body: JSON.parse(body as string) as Record<string, never> };
}

describe('an encoded part of a path', () => {
  it.each(['anthropic/claude-sonnet-5', 'anthropic%2Fclaude-sonnet-5'])('selects the model %s', async (slug) => {
    const resource = '/models/{slug+}';
    const event = restEvent({ method: 'GET', resource, path: `/models/${slug}`, pathParameters: { slug } });

    expect(await run('get-model', event)).toMatchObject({
      status: 200,
      body: { data: { id: 'anthropic/claude-sonnet-5' } },
    });
  });

  it.each(['ann%40example.com', 'ann@example.com'])('selects the member %s', async (memberId) => {
    const event = restEvent({
      method: 'PUT',
      resource: '/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}',
      path: `/workspaces/${workspaceId}/members/${memberId}/budgets/daily`,
      pathParameters: { workspaceId, memberId, interval: 'daily' },
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: '{"limit_rub":5}',
    });

    expect(await run('set-member-budget', event)).toMatchObject({
      status: 200,
      body: { data: { member_id: 'ann@example.com' } },
    });
  });
});

describe('a request to an unknown path', () => {
  it.each([
    {
      method: 'POST',
      resource: '/{path+}',
      path: '/rerank/documents',
      named: { path: 'rerank/documents' },
      status: 404,
    },
    { method: 'DELETE', resource: '/models/{slug+}', path: '/models/a%2Fb', named: { slug: 'a%2Fb' }, status: 405 },
    { method: 'GET', resource: '/', path: '/', named: null, status: 404 },
  ])('is refused without the key in the answer: $method $path', async ({ method, resource, path, named, status }) => {
    const headers = { Authorization: 'Bearer sk-mg-v1-secret' };
    const answer = await run('unknown-route', restEvent({ method, resource, path, pathParameters: named, headers }));

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ type: 'error', error: { code: status } });
    expect(answer.text).not.toContain('secret');
  });
});
