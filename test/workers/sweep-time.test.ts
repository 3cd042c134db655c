import { afterAll, expect, it } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { handler } from '../../lambdas/workers/sweep-holds/handler.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { setEnvironment } from '../support/process-environment.ts';
import { startSettlementQueue } from '../support/settlement-queue.ts';
import { holdRequest, newSpender, placeHold, rub } from '../support/spending.ts';
import { eventually } from '../support/eventually.ts';

const { table, proxy } = await faultyTable();
const queue = await startSettlementQueue(table);
const putBack = setEnvironment({ [variables.dynamodbEndpoint]: proxy.endpoint });
afterAll(async () => {
  putBack();
  await queue.stop();
});

it('sweep-holds settles holds while it still reads leases, so many leases do not take the time of holds', async () => {
  const spender = await newSpender(table, { key: { lifetime: rub('100') } });
  const request = holdRequest(spender, rub('2'), { bootId: 'dead' });
  await placeHold(table, request);
  const { promise: isOver, resolve: goOn } = Promise.withResolvers<void>();
  proxy.before = ({ body }) => (body.includes('LEASES#') ? isOver : undefined);

  const swept = handler({ deadBootIds: ['dead'] }, { getRemainingTimeInMillis: () => 600_000 });

  const stateOf = async () => (await readGeneration(table, spender.payer.accountId, request.generation.id))?.state;
  await eventually(async () => expect(await stateOf()).toBe('final'));
  goOn();
  expect(await swept).toEqual({ swept: 1 });
});
