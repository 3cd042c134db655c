import { queryPartition } from '../table/query.ts';
import { numberFrom, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

const PROVIDERS = 'ALERTS#PROVIDERS';

/** Returns, by provider, the time in epoch ms since which the provider fails; 0 if it works again. */
export async function readFailingProviders(table: Table): Promise<Map<string, number>> {
  const items = await Array.fromAsync(queryPartition(table, PROVIDERS));
  return new Map(items.map((item) => [item['sk'] as string, numberFrom(item['since_ms'])]));
}

/** `sinceMs` is the time since which the provider fails; 0 if it works again. */
export async function saveFailingProvider(table: Table, providerId: string, sinceMs: number): Promise<void> {
  const item = { pk: PROVIDERS, sk: providerId, entity: 'failing_provider', since_ms: sinceMs };
  await writeAlone(table, put(table, item));
}
