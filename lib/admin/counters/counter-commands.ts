import { setTimeout as sleep } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import { fromAttributes, type Attributes } from '../../../lambdas/store/table/attribute-values.ts';
import { gatherCounter } from '../../../lambdas/store/counters/counter-parts.ts';
import { commitChange } from '../../../lambdas/management/change.ts';
import { GATEWAY_AUDIT } from '../../../lambdas/store/accounts/audit.ts';
import { arePartsAllowed, partsAllowance } from '../../../lambdas/store/counters/parts-allowance.ts';
import type { ScopeId } from '../../../lambdas/store/counters/counters.ts';
import { sdkClient } from '../../shared/database/sdk-client.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { print, type Row } from '../../shared/output.ts';
import { showProgress } from '../command-line/progress.ts';
import { operatorOf } from '../session/operator.ts';
import { recompute } from './recompute.ts';
import { onTable, withAccount, type TableSession } from '../session/session.ts';

/** Time to wait after parts of counters were forbidden, because running requests may still create parts. */
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

/** Allows or forbids that counters are divided into parts, with an audit entry if this is a change. */
async function setAllowance({ table, local }: TableSession, isAllowed: boolean): Promise<void> {
  const wasAllowed = await arePartsAllowed(table);
  if (wasAllowed === isAllowed) return;
  const actor = await operatorOf(local === undefined);
  const [before, after] = [{ parts_allowed: wasAllowed }, { parts_allowed: isAllowed }];
  const change = { action: isAllowed ? 'counters.allow_parts' : 'counters.gather', target: 'counters', before, after };
  const writes = { allowance: partsAllowance(table, isAllowed) };
  await commitChange({ table, accountId: GATEWAY_AUDIT, actor }, change, writes);
}

async function allow(session: TableSession): Promise<Row> {
  await setAllowance(session, true);
  return { parts_allowed: true };
}

async function gather(session: TableSession): Promise<Row> {
  const { table } = session;
  await setAllowance(session, false);
  await sleep(UNDER_WAY_MS);
  let gathered = 0;
  for await (const scope of scopesWithParts(table)) if (await gatherCounter(table, scope)) gathered += 1;
  return { parts_allowed: false, counters_gathered: gathered };
}

/** Yields the scopes (for example keys) whose counters are split into parts. Reads the whole table. */
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
