import { askAsStep, checkBooks, inDrill, rounded, rubOf, type DrillOptions, type DrillStep } from './drill.ts';
import type { DynamodbCall } from '../support/fault-proxy.ts';

/** No settlement can be written for a while: clients are answered, what they hold stays counted, and all of it is charged afterwards. */
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
      'the limit, which counts what is held',
      isCounted,
      `${heldRub} RUB are held for ${rubOf(meanwhile)} RUB that were told`,
    );
    table.faultFor = () => undefined;
    const after = await askAsStep(tools, 'requests afterwards', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...meanwhile, ...after]) });
  });
}

/** Only the worker makes a record final in a transaction. */
function isSettlement({ action, body }: DynamodbCall): boolean {
  return action === 'TransactWriteItems' && body.includes('"final"');
}
