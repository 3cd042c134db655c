import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { reconcileBudgets } from '../../lambdas/books/reconcile-budgets.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { readBudget } from '../../lambdas/store/service-budgets.ts';
import { documentsOf } from '../support/documents.ts';
import { freeRequest } from '../support/free-use.ts';
import { outcome, placeHold, rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

const atMs = Date.now() - DAY_MS;
const date = utcDate(atMs);
const model = 'test/model:free';

/** Two accounts have used a free model; one answer of each is settled, and one goes on. */
async function history() {
  const table = await newTable();
  for (const name of ['A', 'B']) {
    const { id } = await createAccount(table, { kind: 'operator', id: 'test' }, { name, mode: 'postpaid' });
    const payer = { accountId: id, workspaceId: 'w', memberId: undefined, keyHash: name };
    for (const serviceCost of ['0.25', undefined]) {
      const request = freeRequest({ payer, scopes: [] }, { id: model }, { atMs });
      const { hold } = await placeHold(table, request);
      if (serviceCost === undefined) continue;
      const told = { ...outcome(rub('0')), model, serviceCost: rub(serviceCost) };
      const [result] = await settleBatch(table, [{ generationId: request.generation.id, payer, hold, outcome: told }], {
        swept: false,
      });
      if (result instanceof Error) throw result;
    }
  }
  return table;
}

it('finds nothing in budgets that say what the records of all accounts do', async () => {
  expect(await reconcileBudgets(await history(), date)).toEqual([]);
});

it('names a part of a budget that says something else', async () => {
  const table = await history();
  const used = (await readBudget(table, date, model)).find(({ spent }) => !spent.isZero)!;
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk: `FREE#BUDGET#${date}#${used.part}`, sk: model },
      UpdateExpression: 'ADD spent_rub :more',
      ExpressionAttributeValues: { ':more': 1 },
    }),
  );

  const [difference, ...others] = await reconcileBudgets(table, date);
  expect([others, difference!.part, String(difference!.spent.minus(difference!.recorded))]).toEqual([
    [],
    used.part,
    '1',
  ]);
});
