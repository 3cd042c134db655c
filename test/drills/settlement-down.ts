import { askAsStep, checkBooks, inDrill, type DrillOptions, type DrillStep } from './drill.ts';
import type { DynamodbCall } from '../support/fault-proxy.ts';
import { rounded, rubOf } from './roubles.ts';

/**
 * Drill: settlements cannot be written for a while. Requests are answered, their holds stay counted, and they are
 * charged later.
 */
export function drillSettlementDown(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { table, gateway } = await tools.startOnTable();
    const key = await tools.limitedKey();
    const before = await askAsStep(tools, 'requests before', { gateway, key });
    const spentBefore = await gateway.spentRub(key);
    table.faultFor = (call) => (isSettlement(call) ? 'unavailable' : undefined);
    const meanwhile = await askAsStep(tools, 'requests while nothing is settled', { gateway, key });
    const { spentRub, leftRub } = await gateway.spendingOf(key);
    const heldRub = rounded(1_000 - spentRub - leftRub!);
    const isCounted = spentRub === spentBefore && heldRub >= rubOf(meanwhile);
    tools.done(
      'the limit, which counts holds',
      isCounted,
      `${heldRub} RUB are held for ${rubOf(meanwhile)} RUB that responses reported`,
    );
    table.faultFor = () => undefined;
    const after = await askAsStep(tools, 'requests afterwards', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...meanwhile, ...after]) });
  });
}

/** Whether a call settles a request: only workers make a record final in a transaction. */
function isSettlement({ action, body }: DynamodbCall): boolean {
  return action === 'TransactWriteItems' && body.includes('"final"');
}
