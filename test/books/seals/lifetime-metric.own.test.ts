import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DAY_MS, utcDate } from '../../../lambdas/money/periods.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { counterKey, readCounter } from '../../../lambdas/store/counters/counters.ts';
import { moneyAttribute } from '../../../lambdas/store/table/table.ts';
import { documentsOf } from '../../support/documents.ts';
import { makeHistory, type History } from '../../support/history.ts';
import { keepLog, type LogLine } from '../../support/log-lines.ts';
import { newSealing, sealBefore } from '../../support/sealing.ts';
import { newTable } from '../../support/table.ts';

let lines: LogLine[];
beforeEach(() => {
  lines = keepLog();
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const measured = () => lines.flatMap(({ DriftRub: drift }) => (drift === undefined ? [] : [drift]));

async function spentMore({ table, account }: History, amount: string): Promise<void> {
  const scope = { kind: 'account', id: account.id } as const;
  const spent = (await readCounter(table, scope)).spent('lifetime');
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: counterKey(scope),
      UpdateExpression: 'SET spent_lifetime = :amount',
      ExpressionAttributeValues: { ':amount': moneyAttribute(spent.plus(Money.parse(amount))) },
    }),
  );
}

it('seal-days compares the lifetime of an account with its sealed days, and measures the difference', async () => {
  const made = await makeHistory(await newTable(), { generations: 12, days: 2 });
  const { tools } = await newSealing(made.table);
  const tomorrow = utcDate(Date.now() + DAY_MS);

  await sealBefore(tools, utcDate(Date.now()));
  expect(measured()).toEqual([]);

  await spentMore(made, '-0.25');
  await sealBefore(tools, tomorrow);

  expect(measured()).toEqual([0.25]);
});
