import {
  areAnswered,
  askOneByOne,
  checkBooks,
  inDrill,
  rounded,
  rubOf,
  seenIn,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';
import type { DynamodbCall } from './fault-proxy.ts';

/** No settlement can be written for a while: clients are answered, what they hold stays counted, and all of it is charged afterwards. */
export function drillSettlementDown(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { requests, done, admin, start, startTable } = tools;
    const table = await startTable();
    const gateway = await start({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
    const { answer } = await admin('keys', 'create', '--name', 'Limited', '--limit', '1000');
    const key = String(answer['key']);
    const before = await askOneByOne(gateway, key, requests);
    done('requests before', areAnswered(before), seenIn(before));
    const spentBefore = await gateway.spentRub(key);
    table.faultFor = (call) => (isSettlement(call) ? 'unavailable' : undefined);
    const meanwhile = await askOneByOne(gateway, key, requests);
    done('requests while nothing is settled', areAnswered(meanwhile), seenIn(meanwhile));
    const { spentRub, leftRub } = await gateway.spendingOf(key);
    const heldRub = rounded(1_000 - spentRub - leftRub!);
    done(
      'the limit, which counts what is held',
      spentRub === spentBefore && heldRub >= rubOf(meanwhile),
      `${heldRub} RUB are held for ${rubOf(meanwhile)} RUB that were told`,
    );
    table.faultFor = () => undefined;
    const after = await askOneByOne(gateway, key, requests);
    done('requests afterwards', areAnswered(after), seenIn(after));
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...meanwhile, ...after]) });
  });
}

/** Only the worker makes a record final in a transaction. */
function isSettlement({ action, body }: DynamodbCall): boolean {
  return action === 'TransactWriteItems' && body.includes('"final"');
}
