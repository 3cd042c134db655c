import { setTimeout as sleep } from 'node:timers/promises';
import {
  askAsStep,
  askAtOnce,
  checkBooks,
  inDrill,
  rubOf,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';
import type { DynamodbCall, FaultProxy } from '../support/fault-proxy.ts';

/** Ten times as many requests at once as otherwise, on one limited key: its counter is one item, which DynamoDB writes one at a time. */
export function drillHotAccount(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { done } = tools;
    const conflicts = { count: 0 };
    const { gateway } = await tools.startOnTable((table) => letMeet(table, conflicts));
    const key = await tools.limitedKey();
    const requests = 10 * tools.requests;
    const before = await askAsStep(tools, 'requests in turn', { gateway, key });
    const atOnce = await askAtOnce(gateway, key, requests);
    const isClear = atOnce.every(({ seen }) => seen === '200' || seen.endsWith('with retry-after'));
    done(
      `${requests} requests at once`,
      isClear && atOnce.some(({ status }) => status === 200),
      summarizeAnswers(atOnce),
    );
    done('transactions that met others', conflicts.count > 0, String(conflicts.count));
    const after = await askAsStep(tools, 'requests afterwards', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...atOnce, ...after]) });
  });
}

/** As long as a transaction holds its items in DynamoDB. */
const TRANSACTION_MS = 5;

/**
 * Lets transactions meet as DynamoDB does, and its emulators do not: one that touches an item of another that is under way is cancelled,
 * with the reason at that item.
 */
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

/** The sort keys and partitions of the items that a transaction writes, each as it stands in the call. */
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
