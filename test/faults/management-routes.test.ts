/** Clients of the management API while the table refuses or loses a fifth of its calls. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { listWorkspaces } from '../../lambdas/store/accounts/workspaces.ts';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { manage, type Answer } from '../support/manage.ts';
import { startRulesProxy, type RulesProxy } from '../support/table-rules/rules-proxy.ts';
import { troubles } from '../support/table-rules/ruled-table.ts';

const ROUNDS = repeated(200, { ofWhichAlways: 12 });
const AT_ONCE = 4;
const MAX_ASKED = 30;

vi.setConfig({ testTimeout: 900_000 });

let dynamodb: LocalDynamodb;
let proxy: RulesProxy;
let gateway: RunningGateway;
beforeAll(async () => {
  dynamodb = await startDynamodb(undefined);
  proxy = await startRulesProxy(dynamodb.endpoint);
  gateway = await startGateway({ env: { DYNAMODB_ENDPOINT: proxy.endpoint } });
});
afterAll(async () => {
  vi.resetConfig();
  proxy.rules.suffer({});
  await gateway.stop();
  await proxy.stop();
  await dynamodb.stop();
});

const wrong: string[] = [];

/**
 * Retries while the gateway is busy, as a patient client does.
 * @param change.mayBeDone status that shows that an earlier attempt made the change
 */
async function ask(
  method: string,
  path: string,
  body?: unknown,
  change: { headers?: Record<string, string>; mayBeDone?: number } = {},
): Promise<Answer> {
  const name = `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]+|[0-9a-f]{64}/g, '*').replace(/\?.*/, '')}`;
  for (let asked = 1; ; asked += 1) {
    const answer = await manage(gateway, method, path, body, change.headers);
    const { status, headers } = answer;
    if (status === 529 && asked < MAX_ASKED) {
      if (!headers.has('retry-after')) wrong.push(`${name} ${status} without retry-after`);
      continue;
    }
    const isRight = status < 300 || (asked > 1 && status === change.mayBeDone);
    if (!isRight) wrong.push(`${name} ${status} after ${asked}: ${JSON.stringify(answer.body)}`);
    return answer;
  }
}

const once = () => ({ headers: { 'idempotency-key': randomUUID() } });
const version = ({ headers }: Answer) => ({ headers: { 'if-match': headers.get('etag')! }, mayBeDone: 412 });

async function live(): Promise<void> {
  const slug = `w-${randomUUID()}`;
  const made = await ask('POST', '/workspaces', { name: 'W', slug }, once());
  const { id } = made.body.data as { id: string };
  const path = `/workspaces/${id}`;
  await ask('PATCH', path, { name: 'Renamed', slug: `${slug}-x` }, version(await ask('GET', path)));
  await ask('PUT', `${path}/budgets/daily`, { limit_rub: 5 });
  await ask('PUT', `${path}/budgets/monthly`, { limit_rub: 50 });
  const added = await ask('POST', `${path}/members/add`, { user_ids: ['ann', 'bob'] }, once());
  if (added.status < 300) expect(added.body).toMatchObject({ added_count: 2 });
  const key = await ask('POST', '/keys', { name: 'K', workspace_id: id, limit: 3 }, once());
  const { hash } = key.body.data as { hash: string };
  await ask('PATCH', `/keys/${hash}`, { limit: 4, disabled: true }, version(await ask('GET', `/keys/${hash}`)));
  await ask('PATCH', `/keys/${hash}`, { disabled: false });
  for (const read of ['/keys', `/keys?workspace_id=${id}`, '/workspaces', `${path}/budgets`, `${path}/members`]) {
    await ask('GET', read);
  }
  for (const read of ['/credits', '/activity', '/generations', '/models/user']) await ask('GET', read);
  await ask('POST', `${path}/members/remove`, { user_ids: ['ann'] }, once());
  await ask('DELETE', `${path}/budgets/daily`, undefined, { mayBeDone: 404 });
  await ask('DELETE', `/keys/${hash}`, undefined, { mayBeDone: 404 });
  await ask('DELETE', path, undefined, { mayBeDone: 404 });
}

it(`${ROUNDS} clients get the result of their changes, or a request to retry, and never a failure`, async () => {
  proxy.rules.suffer(troubles, 11);
  let round = 0;
  const work = async () => {
    while (round++ < ROUNDS) await live();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  proxy.rules.suffer({});
  await proxy.rules.whenQuiet();

  expect(wrong).toEqual([]);
  expect(proxy.rules.imposed['lost reply']).toBeGreaterThan(ROUNDS);
  // Each workspace was created once; a workspace that has had a key is kept for the books.
  const workspaces = await listWorkspaces(gateway.table(), gateway.accountId);
  expect(workspaces.filter(({ status }) => status === 'active').map(({ slug }) => slug)).toEqual(['default']);
  expect(workspaces).toHaveLength(ROUNDS + 1);
  const { body: keys } = await manage(gateway, 'GET', '/keys');
  expect(keys.data).toHaveLength(1);
});
