import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import { fromAttributes, type Attributes } from '../../lambdas/store/attribute-values.ts';
import { gatherCounter } from '../../lambdas/store/counter-parts.ts';
import type { ScopeId } from '../../lambdas/store/counters.ts';
import { sdkClient } from '../../lambdas/store/sdk-table.ts';
import type { Table } from '../../lambdas/store/table.ts';
import type { Row } from './output.ts';
import { onTable, type TableSession } from './session.ts';

export function addCounterCommands(program: Command): void {
  program
    .command('counters')
    .description('what was spent in each scope')
    .command('gather')
    .description('take the parts of busy counters in: after an earlier release was deployed that knows no parts')
    .action(onTable(gather));
}

async function gather({ table }: TableSession): Promise<Row> {
  let gathered = 0;
  for await (const scope of scopesWithParts(table)) if (await gatherCounter(table, scope)) gathered += 1;
  return { counters_gathered: gathered };
}

/** Reads the whole table: at a quarter of a read unit for each KB. */
async function* scopesWithParts(table: Table): AsyncGenerator<ScopeId, void> {
  const client = sdkClient(table.endpoint);
  let start: Attributes | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table.name,
        ProjectionExpression: 'scope_kind, scope_id',
        FilterExpression: 'attribute_exists(#spread)',
        ExpressionAttributeNames: { '#spread': 'spread' },
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    for (const item of (page.Items ?? []) as Attributes[]) {
      const { scope_kind: kind, scope_id: id } = fromAttributes(item);
      yield { kind, id } as ScopeId;
    }
    start = page.LastEvaluatedKey as Attributes | undefined;
  } while (start);
}
