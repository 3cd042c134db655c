import { queryPartition } from '../table/query.ts';
import { numberFrom, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

const PROVIDERS = 'ALERTS#PROVIDERS';

/** Returns the times in ms since which providers fail, by provider. Providers that work again have the time 0. */
export async function readFailingProviders(table: Table): Promise<Map<string, number>> {
  const items = await Array.fromAsync(queryPartition(table, PROVIDERS));
  return new Map(items.map((item) => [item['sk'] as string, numberFrom(item['since_ms'])]));
}

/**
 * Saves the time since which a provider fails.
 * @param sinceMs 0 if the provider works again
 */
export async function saveFailingProvider(table: Table, providerId: string, sinceMs: number): Promise<void> {
  const item = { pk: PROVIDERS, sk: providerId, entity: 'failing_provider', since_ms: sinceMs };
  await writeAlone(table, put(table, item));
}
