import { inject } from 'vitest';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { newTable, tableThrough } from '../table.ts';
import type { FaultShares } from './random-faults.ts';
import { startRulesProxy } from './rules-proxy.ts';
import type { RulesOptions } from './table-rules.ts';

/** Table under the rules of DynamoDB. */
export interface RuledTable {
  table: Table;
  /**
   * Runs work while up to a fifth of table calls is refused or lost; late calls have taken effect before it returns.
   */
  inTrouble: <Result>(work: () => Promise<Result>, seed?: number) => Promise<Result>;
  /** Enforced refusals and injected faults, by name. */
  imposed: Readonly<Record<string, number>>;
  stop: () => Promise<void>;
}

/** In total, up to a fifth of all calls has a fault. */
export const troubles: FaultShares = { conflicts: 0.06, throttles: 0.06, lostReplies: 0.05, lostRequests: 0.03 };

/**
 * Opens a table under the rules of DynamoDB.
 * @param table default: a new table
 */
export async function newRuledTable(options: RulesOptions = {}, table?: Table): Promise<RuledTable> {
  const proxy = await startRulesProxy(inject('dynamodbEndpoint'), options);
  const { rules } = proxy;
  return {
    table: tableThrough(proxy.endpoint, table ?? (await newTable())),
    imposed: rules.imposed,
    async inTrouble(work, seed) {
      rules.suffer(troubles, seed);
      try {
        return await work();
      } finally {
        rules.suffer({});
        await rules.whenQuiet();
      }
    },
    stop: proxy.stop,
  };
}
