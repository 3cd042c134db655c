/** Failed conditions in a transaction that is rejected because of a conflict: one response may contain both. */

import type { CancellationReason } from './refusals.ts';
import type { ItemWrite, WriteBody } from './requests.ts';

/** Returns the condition of a write as a ConditionCheck, if it has one. */
function conditionOf({ request }: ItemWrite): { ConditionCheck: WriteBody } | undefined {
  const { TableName, ConditionExpression: condition, ReturnValuesOnConditionCheckFailure: returned } = request;
  if (condition === undefined) return undefined;
  const { pk, sk } = (request.Key ?? request.Item)!;
  const used = new Set(condition.match(/[#:]\w+/g));
  const names = entriesUsed(request.ExpressionAttributeNames, used);
  const values = entriesUsed(request.ExpressionAttributeValues, used);
  return {
    ConditionCheck: {
      TableName,
      Key: { pk: pk!, sk: sk! },
      ConditionExpression: condition,
      ...(names ? { ExpressionAttributeNames: names } : {}),
      ...(values ? { ExpressionAttributeValues: values } : {}),
      ...(returned === undefined ? {} : { ReturnValuesOnConditionCheckFailure: returned }),
    },
  };
}

function entriesUsed<Value>(
  all: Record<string, Value> | undefined,
  used: ReadonlySet<string>,
): Record<string, Value> | undefined {
  const entries = Object.entries(all ?? {}).filter(([placeholder]) => used.has(placeholder));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * Adds failed conditions to the cancellation reasons of a refused transaction.
 * @param check runs condition checks, and returns their cancellation reasons; undefined if all conditions hold
 */
export async function withFailedConditions(
  writes: readonly ItemWrite[],
  reasons: readonly CancellationReason[],
  check: (checks: object[]) => Promise<CancellationReason[] | undefined>,
): Promise<CancellationReason[]> {
  const open = writes.flatMap((write, index) => {
    const condition = reasons[index]!.Code === 'None' ? conditionOf(write) : undefined;
    return condition ? [{ index, condition }] : [];
  });
  if (open.length === 0) return [...reasons];
  const failed = (await check(open.map(({ condition }) => condition))) ?? [];
  const all = [...reasons];
  for (const [place, { index }] of open.entries()) {
    const reason = failed[place];
    if (reason?.Code === 'ConditionalCheckFailed') all[index] = reason;
  }
  return all;
}
