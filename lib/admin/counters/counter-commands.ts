import { setTimeout as sleep } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import { fromAttributes, type Attributes } from '../../../lambdas/store/table/attribute-values.ts';
import { gatherCounter } from '../../../lambdas/store/counters/counter-parts.ts';
import { allowParts, forbidParts } from '../../../lambdas/store/counters/parts-allowance.ts';
import type { ScopeId } from '../../../lambdas/store/counters/counters.ts';
import { sdkClient } from '../../shared/database/sdk-client.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { print, type Row } from '../../shared/output.ts';
import { showProgress } from '../command-line/progress.ts';
import { recompute } from './recompute.ts';
import { onTable, withAccount, type TableSession } from '../session/session.ts';

/**
 * Time in ms to wait after the creation of parts (items into which a busy counter is split) has been forbidden, because
 * running requests may still create parts.
 */
const UNDER_WAY_MS = 5_000;

export function addCounterCommands(program: Command): void {
  const counters = program.command('counters').description('spending counters of scopes, and how they are stored');
  counters
    .command('allow-parts')
    .description(
      'allow busy counters to be split into parts; do not run it while functions of 0.2.0 or earlier use the table',
    )
    .action(onTable(allow));
  counters
    .command('gather')
    .description('merge the parts of all counters and forbid new ones; run it before you deploy an earlier release')
    .action(onTable(gather));
  counters
    .command('recompute')
    .description(
      'correct counters of the account that differ from its records; works during requests; reads every record up to eight times, recent ones up to eleven times',
    )
    .action((_: unknown, command: Command) =>
      withAccount(command, ({ changes }, isJson) =>
        recompute(changes, {
          print: (rows) => print(rows, isJson),
          progressOf: (total) => showProgress('compared', total),
        }),
      ),
    );
}

async function allow({ table }: TableSession): Promise<Row> {
  await allowParts(table);
  return { parts_allowed: true };
}

async function gather({ table }: TableSession): Promise<Row> {
  await forbidParts(table);
  await sleep(UNDER_WAY_MS);
  let gathered = 0;
  for await (const scope of scopesWithParts(table)) if (await gatherCounter(table, scope)) gathered += 1;
  return { parts_allowed: false, counters_gathered: gathered };
}

/**
 * Yields the scopes (for example keys) whose counters are split into parts. Reads the whole table, at a cost of a
 * quarter of a read unit per KB.
 */
async function* scopesWithParts(table: Table): AsyncGenerator<ScopeId, void> {
  const client = sdkClient(table.endpoint);
  let start: Attributes | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
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
