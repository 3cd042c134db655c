/**
 * An upgrade (this release uses records of the last release) and a rollback (the last release reads records of this
 * release).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSettlement } from '../../lambdas/accounting/read-settlement.ts';
import { decodeRollUp, encodeRollUp } from '../../lambdas/accounting/roll-up.ts';
import { encodeSettlement } from '../../lambdas/accounting/settlement.ts';
import { decodeJobMessage, encodeJobMessage } from '../../lambdas/inference/jobs/message.ts';
import { Money } from '../../lambdas/money/money.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { holdRecord } from '../../lambdas/store/generations/generation.ts';
import { outcomeRecord } from '../../lambdas/store/generations/outcome.ts';
import { payerRecord } from '../../lambdas/store/accounts/payer.ts';
import { LocalState } from '../../lib/shared/data-directory/state.ts';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import {
  layOutLastRelease,
  RELEASED_DATE,
  releasedItems,
  releasedKeys,
  releasedMessages,
  type StoredItem,
} from '../support/last-release.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-release-'));
  await layOutLastRelease(directory);
  // After a full minute, completed days are closed and sealed.
  const started = await startGateway({ args: ['--data', directory, '--now', '2026-11-21T02:00:50Z'] });
  gateway = { ...started, key: releasedKeys.server_key, managementKey: releasedKeys.management_key };
}, 180_000);
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ofKind = (items: StoredItem[], kind: string) => items.filter((item) => kindOf(item) === kind);
/** Returns the entity, or else the beginning of the partition key; and the first word of the sort key. */
const kindOf = ({ entity, pk, sk }: StoredItem) =>
  [entity?.S ?? pk!.S!.split('#')[0]!, /^[A-Z_]+(?=#|$)/.exec(sk!.S!)?.[0] ?? []].flat().join(' ');

/** Prepaid account in the data of the last release, with one key. */
const PREPAID_ACCOUNT = '01a1f8d4-b14d-7fe6-9dc6-93c7cedff899';

const versionOf = (items: StoredItem[]) => ofKind(items, 'schema VERSION').map(({ version }) => version?.N);

/** Returns `disabled` of each key: only this field stops a key in the last release, which reads no account status. */
async function disabledKeys(): Promise<unknown[]> {
  return ofKind(await itemsNow(), 'key KEY')
    .filter(({ account_id: account, deleted }) => account?.S === PREPAID_ACCOUNT && deleted?.BOOL !== true)
    .map(({ disabled }) => disabled?.BOOL);
}

const changeStatus = (command: 'suspend' | 'resume') =>
  adminHere(directory, '--account', PREPAID_ACCOUNT, 'accounts', command, '--reason', 'The way back');

async function itemsNow(): Promise<StoredItem[]> {
  const { dynamodb_endpoint: endpoint, table_name: TableName } = LocalState.at(directory).running()!;
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: localCredentials });
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  client.destroy();
  return Items;
}

describe('after an upgrade from the last release', () => {
  it('the old keys spend and manage', async () => {
    const answer = await post(gateway, '/messages', {
      model: 'sandbox/claude',
      max_tokens: 20,
      messages: [said('Hi', 'delay=0')],
    });
    expect(answer.status).toBe(200);
    await finalGeneration(gateway, answer.headers.get('x-generation-id')!);
    const { body } = await manage(gateway, 'GET', '/keys?workspace_id=team');
    expect((body.data as { name: string }[]).map(({ name }) => name)).toEqual(['Server']);
    expect((await get(gateway, '/key', releasedKeys.inference_key)).status).toBe(200);
  });

  it('the old limits apply, with the earlier spending', async () => {
    const { body } = await manage(gateway, 'GET', '/workspaces/team/budgets/monthly');
    expect(body.data).toMatchObject({ limit_rub: '5000' });
    expect(Number(body.data.remaining_rub)).toBeLessThan(4_938);
  });

  it('the old generations are listed with their costs', async () => {
    const { data } = (await manage(gateway, 'GET', `/generations?from=${RELEASED_DATE}&to=${RELEASED_DATE}&limit=100`))
      .body;
    const costs = (data as { id: string; total_cost: number }[]).map(({ id, total_cost: cost }) => [id, String(cost)]);
    const released = ofKind(releasedItems, 'generation').map(({ id, total_cost_rub: cost }) => [
      id!.S!,
      Money.parse(cost!.N!).toString(),
    ]);
    expect(Object.fromEntries(costs)).toMatchObject(Object.fromEntries(released));
  });

  it('the old days are closed, sealed and add up', async () => {
    const statement = await vi.waitUntil(
      async () => {
        const { data } = (await manage(gateway, 'GET', '/statements/2026-11')).body;
        return data.sealed_days.length > 0 && data;
      },
      { timeout: 90_000, interval: 300 },
    );
    expect(statement.sealed_days[0]).toMatchObject({ date: RELEASED_DATE });
    expect(await adminHere(directory, 'reconcile', '--deep')).toMatchObject({ code: 0 });
    expect(await adminHere(directory, 'verify')).toMatchObject({ code: 0 });
  });
});

describe('messages of two releases', () => {
  it('are read as the last release has sent them', () => {
    const { 'finalize-cost': settlement, 'roll-up-activity': rollUp, 'advance-videos': video } = releasedMessages;

    expect(readSettlement({ body: JSON.stringify(settlement) }).outcome.cost).toEqual(Money.parse('0.3'));
    expect(decodeRollUp(JSON.stringify(rollUp))).toMatchObject({ accountId: 'a', shard: 3 });
    expect(decodeJobMessage(JSON.stringify(video))).toMatchObject({ accountId: 'a', isNotice: true });
  });

  it('have no field in their bodies that the last release would refuse', () => {
    const { 'finalize-cost': settlement, 'roll-up-activity': rollUp, 'advance-videos': video } = releasedMessages;
    const sent = readSettlement({ body: JSON.stringify(settlement) });
    const bodies = [
      encodeSettlement({ ...sent, outcome: { ...sent.outcome, overheadMs: 7 } }).body,
      encodeRollUp(decodeRollUp(JSON.stringify(rollUp))),
      encodeJobMessage(decodeJobMessage(JSON.stringify(video))),
    ];

    expect(bodies.map((body) => JSON.parse(body))).toEqual([settlement, rollUp, video]);
  });
});

describe('each field of a queue message', () => {
  const { payer, hold, outcome } = (releasedMessages as unknown as { 'finalize-cost': Record<string, object> })[
    'finalize-cost'
  ];
  it.each([
    { part: 'payer', message: payer, record: payerRecord },
    { part: 'hold', message: hold, record: holdRecord },
    { part: 'outcome', message: outcome, record: outcomeRecord },
  ])('of its $part exists in the last release, or is marked as unreleased', ({ message, record }) => {
    const released = record.messageNames.filter((name) => !record.unreleasedNames.has(name));

    expect(released.toSorted()).toEqual(Object.keys(message!).toSorted());
  });
});

describe('a roll-back to the last release', () => {
  it('finds records of a version that it reads', async () => {
    expect(versionOf(releasedItems)).toHaveLength(1);
    expect(versionOf(await itemsNow())).toEqual(versionOf(releasedItems));
  });

  it('finds the keys of a suspended account disabled, and restored after the account is resumed', async () => {
    expect(await changeStatus('suspend')).toMatchObject({ code: 0 });
    expect(await disabledKeys()).toEqual([true]);
    expect(await changeStatus('resume')).toMatchObject({ code: 0 });
    expect(await disabledKeys()).toEqual([false]);
  });

  it('finds in each new record every attribute of its own records, in the same form', async () => {
    const known = new Set(releasedItems.map(({ pk, sk }) => `${pk!.S} ${sk!.S}`));
    const written = (await itemsNow()).filter(({ pk, sk }) => !known.has(`${pk!.S} ${sk!.S}`));
    const compared = new Set<string>();
    for (const item of written) {
      const before = ofKind(releasedItems, kindOf(item));
      if (before.length === 0) continue;
      compared.add(kindOf(item));
      expect(formsOf([item])).toMatchObject(formsOf(before));
    }
    expect([...compared]).toEqual(expect.arrayContaining(['generation']));
  });
});

/** Returns the DynamoDB types of the attributes that all of these items have. */
function formsOf(items: StoredItem[]): Record<string, string> {
  const [first] = items as [StoredItem];
  const common = Object.entries(first).filter(([name]) => items.every((item) => item[name] !== undefined));
  return Object.fromEntries(common.map(([name, value]) => [name, Object.keys(value)[0]!]));
}
