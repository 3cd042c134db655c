import { repeated } from '../support/long-runs.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { get, type GatewayClient } from '../support/gateway.ts';
import { documentedOperations, documentedResponse, misfit, type DocumentedOperation } from '../support/openapi.ts';
import { requestsTo, type GeneratedRequest } from '../support/request-arbitrary.ts';

/** Number of requests per operation. Over all operations, a run sends more than 3,000 requests. */
const REQUESTS_PER_OPERATION = repeated(100, { ofWhichAlways: 50 });

/** Tests may delete only these workspaces. */
const doomed = ['gone-1', 'gone-2', 'gone-3', 'nowhere'];

let gateway: GatewayClient;
let known: Record<string, string[]>;
beforeAll(async () => {
  gateway = await commonGateway();
  const slugs = ['one', 'two', 'three'];
  for (const slug of doomed) await manage('POST', '/workspaces', { name: slug, slug });
  const ids: string[] = [];
  for (const slug of slugs) {
    ids.push((await manage('POST', '/workspaces', { name: slug, slug })).data['id'] as string);
    await manage('POST', `/workspaces/${slug}/members/add`, { user_ids: ['ann', 'bob'] });
  }
  const hashes: string[] = [];
  for (const workspace_id of ids) {
    hashes.push((await manage('POST', '/keys', { name: 'k', workspace_id })).data['hash'] as string);
  }
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  known = {
    hash: [...hashes, '0'.repeat(64)],
    api_key_hash: hashes,
    workspaceId: [...slugs, ...ids, 'nowhere'],
    workspace_id: [...slugs, ...ids],
    memberId: ['ann', 'bob', 'nobody'],
    member_id: ['ann', 'nobody'],
    user_ids: ['ann', 'carl', 'dora'],
    date: [yesterday],
    slug: ['sandbox/claude', 'sandbox/claude/endpoints', ...slugs, 'new-1', 'new-2', 'new-3', 'new-4'],
    model: ['sandbox/claude', 'sandbox/gpt'],
    output_modalities: ['text', 'all', 'text,image', 'embeddings'],
    input_modalities: ['text', 'text,image'],
    after_id: ['sandbox/claude', 'sandbox/gpt'],
    before_id: ['sandbox/claude', 'sandbox/gpt'],
    lifecycle: ['active', 'retired'],
    'lifecycle[]': ['active', 'retired'],
    allowedProviders: ['anthropic', 'sandbox-anthropic'],
    ignoredProviders: ['openai'],
    interval: ['daily', 'weekly', 'monthly', 'lifetime'],
    id: ['gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d'],
  };
});

describe('requests generated from the document', () => {
  it.each(documentedOperations)('never break $name', async (documented) => {
    const property = fc.asyncProperty(requestsTo(documented, namesFor(documented)), async (request) => {
      expect(await faultOf(documented, request)).toBeUndefined();
    });
    await fc.assert(property, { numRuns: requestsOf(documented), endOnFailure: true });
  });

  it('are more than two thousand', () => {
    expect(documentedOperations.reduce((sum, documented) => sum + requestsOf(documented), 0)).toBeGreaterThan(2_000);
  });
});

/** Returns the number of requests to an operation: one if it has no parameters and no body. */
function requestsOf({ parameters, body }: DocumentedOperation): number {
  return parameters.length === 0 && body === undefined ? 1 : REQUESTS_PER_OPERATION;
}

function namesFor({ name }: DocumentedOperation): Record<string, string[]> {
  return name === 'DELETE /workspaces/{workspaceId}' ? { ...known, workspaceId: doomed } : known;
}

/** Sends a request, and returns the fault of the response; undefined if there is none. */
async function faultOf(documented: DocumentedOperation, request: GeneratedRequest): Promise<string | undefined> {
  const { method, operation } = documented;
  const isForManagers = operation['x-credential'] === 'management';
  const response = await fetch(`${gateway.baseUrl}${request.path}`, {
    method,
    headers: {
      ...request.headers,
      authorization: `Bearer ${isForManagers ? gateway.managementKey : gateway.key}`,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const text = await response.text();
  // A path parameter that is empty or has a slash leads to another resource, or to none.
  const isElsewhere = response.status === 404 && text.includes('describes every route');
  const documentedAnswer = documentedResponse(operation, isElsewhere ? 404 : response.status);
  if (isElsewhere) return undefined;
  if (response.status >= 500) return `status ${response.status}: ${text}`;
  if (!documentedAnswer) return `status ${response.status} is not documented: ${text}`;
  const contentType = response.headers.get('content-type')!.split(';')[0]!;
  const media = documentedAnswer.content?.[contentType];
  if (!media) return `content type ${contentType} is not documented`;
  if (contentType !== 'application/json') return undefined;
  const answer = JSON.parse(text) as { error?: { metadata: { field?: unknown } } };
  if (response.status === 400 && typeof answer.error!.metadata.field !== 'string') return `400 names no field: ${text}`;
  const wrong = misfit(media.schema, answer);
  return wrong && `${response.status} does not fit: ${wrong}: ${text.slice(0, 2_000)}`;
}

async function manage(method: string, path: string, body: unknown) {
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { data: Record<string, unknown> };
}

it('generated requests leave the gateway running', async () => {
  const response = await get(gateway, '/health');
  expect(response.status).toBe(200);
});
