import { setTimeout as sleep } from 'node:timers/promises';
import {
  askAsStep,
  askAtOnce,
  checkBooks,
  inDrill,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';
import type { DynamodbCall, FaultProxy } from '../support/fault-proxy.ts';
import { rubOf } from './roubles.ts';

/** Drill: sends many concurrent requests with one limited key, whose counter is one item. */
export function drillHotAccount(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { done } = tools;
    const conflicts = { count: 0 };
    const { gateway } = await tools.startOnTable((table) => letMeet(table, conflicts));
    const key = await tools.limitedKey();
    const requests = 10 * tools.requests;
    const before = await askAsStep(tools, 'sequential requests', { gateway, key });
    const atOnce = await askAtOnce(gateway, key, requests);
    const isClear = atOnce.every(({ seen }) => seen === '200' || seen.endsWith('with retry-after'));
    done(
      `${requests} concurrent requests`,
      isClear && atOnce.some(({ status }) => status === 200),
      summarizeAnswers(atOnce),
    );
    done('transactions that conflicted with others', conflicts.count > 0, String(conflicts.count));
    const after = await askAsStep(tools, 'requests afterwards', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...atOnce, ...after]) });
  });
}

/** Simulated time in ms for which a transaction locks its items. DynamoDB does not document its own time. */
const TRANSACTION_MS = 5;

/** Cancels a transaction that uses an item of a running transaction, as DynamoDB does and emulators do not. */
function letMeet(table: FaultProxy, conflicts: { count: number }): void {
  const busy = new Map<string, number>();
  const held = new WeakMap<DynamodbCall, string[]>();
  table.faultFor = (call) => {
    if (call.action !== 'TransactWriteItems') return undefined;
    const keys = transactionItemKeys(call);
    const met = keys.find((key) => busy.has(key));
    if (met !== undefined) {
      conflicts.count += 1;
      return { conflictsAt: met };
    }
    for (const key of keys) busy.set(key, 1);
    held.set(call, keys);
    return undefined;
  };
  table.before = async (call) => {
    if (held.has(call)) await sleep(TRANSACTION_MS);
  };
  table.after = (call) => {
    for (const key of held.get(call) ?? []) busy.delete(key);
  };
}

/** Keys of the items that a transaction uses, as JSON. */
function transactionItemKeys({ body }: DynamodbCall): string[] {
  const { TransactItems } = JSON.parse(body) as {
    TransactItems: Record<string, { Key?: ItemKey; Item?: ItemKey }>[];
  };
  return TransactItems.map((write) => {
    const [{ Key, Item }] = Object.values(write) as [{ Key?: ItemKey; Item?: ItemKey }];
    const { pk, sk } = (Key ?? Item)!;
    return `"pk":${JSON.stringify(pk)},"sk":${JSON.stringify(sk)}`;
  });
}

interface ItemKey {
  pk: object;
  sk: object;
}
