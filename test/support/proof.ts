import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { documentsOf } from './documents.ts';
import type { FinalGeneration } from '../../lambdas/accounting/daily-sums.ts';
import { linesOf, provesItsPrice } from '../../lambdas/accounting/generation-lines.ts';
import { Money } from '../../lambdas/money/money.ts';
import { generationFrom } from '../../lambdas/store/generations/generation.ts';
import type { Item, Table } from '../../lambdas/store/table/table.ts';

/** Record whose cost is not proven by its prices, usage and hold. */
export interface Unproven {
  id: string;
  total: string;
  expected: string;
}

/**
 * Returns final records whose cost or tokens do not follow from their lines (units times prices), or whose cost exceeds
 * the hold of a limited request.
 */
export async function unprovenRecords(table: Table): Promise<Unproven[]> {
  const unproven: Unproven[] = [];
  for await (const item of finalGenerations(table)) {
    const generation = generationFrom(item) as FinalGeneration;
    const lines = linesOf(generation);
    const { id, outcome } = generation;
    const expected = Money.sum(lines.map(({ cost }) => cost));
    if (!provesItsPrice(generation, lines))
      unproven.push({ id, total: String(outcome.cost), expected: String(expected) });
  }
  return unproven;
}

async function* finalGenerations(table: Table): AsyncGenerator<Item> {
  let from: Record<string, unknown> | undefined;
  do {
    const page = await documentsOf(table).send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        FilterExpression: 'entity = :generation AND #state = :final',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':generation': 'generation', ':final': 'final' },
        ExclusiveStartKey: from,
      }),
    );
    yield* page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from);
}
