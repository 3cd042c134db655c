/**
 * Sizes of items, and their partitions in the sweep index, learned from calls. After an update, the size is an
 * estimate, which never shrinks.
 */

import { itemBytes, valueBytes, writeUnits, type ItemJson } from './item-units.ts';
import { itemName, partitionName, textOf, type ItemWrite } from './requests.ts';

const MAX_ITEMS = 100_000;

/** Sweep index as in lib/shared/table-definition.ts. */
const INDEX = { name: 'sweep', partition: 'sweep_shard', sort: 'sweep_at' } as const;

interface KnownItem {
  bytes: number;
  /** Partition of the sweep index; undefined if the item is not in the index. */
  indexed: string | undefined;
}

export class KnownItems {
  readonly #items = new Map<string, KnownItem>();

  see(table: string, item: ItemJson): void {
    if (!item['pk'] || !item['sk']) return;
    this.#remember(itemName(table, item), { bytes: itemBytes(item), indexed: indexedIn(table, item) });
  }

  bytesOf(item: string): number {
    return this.#items.get(item)?.bytes ?? 0;
  }

  /**
   * Returns the units of a write, by partition of the table and of the sweep index.
   * @param options.isDone whether the write was carried out
   */
  unitsOf(
    write: ItemWrite,
    { isTransaction, isDone }: { isTransaction: boolean; isDone: boolean },
  ): Map<string, number> {
    const before = this.#items.get(write.item) ?? { bytes: 0, indexed: undefined };
    const after = afterWrite(write, before);
    const units = new Map([
      [write.partition, writeUnits(Math.max(before.bytes, after?.bytes ?? 0), { isTransaction })],
    ]);
    if (isDone && touchesIndex(write)) {
      // To move an index entry, DynamoDB deletes it in one partition and writes it in another.
      for (const place of [before.indexed, after?.indexed]) {
        if (place !== undefined) units.set(place, (units.get(place) ?? 0) + 1);
      }
    }
    if (isDone && after) this.#remember(write.item, after);
    if (isDone && !after) this.#items.delete(write.item);
    return units;
  }

  /** Returns the partitions of the table and of the sweep index in which a write needs capacity. */
  partitionsOf(write: ItemWrite): string[] {
    const before = this.#items.get(write.item) ?? { bytes: 0, indexed: undefined };
    const index = touchesIndex(write) ? [before.indexed, afterWrite(write, before)?.indexed] : [];
    return [write.partition, ...index.filter((place) => place !== undefined)];
  }

  #remember(item: string, known: KnownItem): void {
    this.#items.delete(item);
    this.#items.set(item, known);
    if (this.#items.size > MAX_ITEMS) this.#items.delete(this.#items.keys().next().value!);
  }
}

function touchesIndex({ kind, request }: ItemWrite): boolean {
  if (kind !== 'Update') return kind === 'Put' || kind === 'Delete';
  const names = Object.values(request.ExpressionAttributeNames ?? {});
  return names.includes(INDEX.partition) || names.includes(INDEX.sort);
}

function afterWrite({ kind, table, request }: ItemWrite, before: KnownItem): KnownItem | undefined {
  switch (kind) {
    case 'Put':
      return { bytes: itemBytes(request.Item!), indexed: indexedIn(table, request.Item!) };
    case 'Delete':
      return undefined;
    case 'Update':
      return afterUpdate(table, request, before);
    default:
      return before;
  }
}

function afterUpdate(table: string, request: ItemWrite['request'], before: KnownItem): KnownItem {
  const names = request.ExpressionAttributeNames ?? {};
  const values = request.ExpressionAttributeValues ?? {};
  const expression = request.UpdateExpression ?? '';
  const set = [...expression.matchAll(/(#\w+)(?: = | )(:\w+)/g)].flatMap(([, name, value]) =>
    names[name!] && values[value!] ? [[names[name!]!, values[value!]!] as const] : [],
  );
  const written = set.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
  const place = set.find(([name]) => name === INDEX.partition)?.[1];
  const removed = /REMOVE (.+?)(?= SET | ADD |$)/.exec(expression)?.[1]?.split(', ') ?? [];
  const isUnindexed = removed.some((name) => names[name] === INDEX.partition || names[name] === INDEX.sort);
  const indexed = place ? partitionName(table, textOf(place), INDEX.name) : before.indexed;
  return {
    bytes: Math.max(before.bytes, itemBytes(request.Key!) + written),
    indexed: isUnindexed ? undefined : indexed,
  };
}

function indexedIn(table: string, item: ItemJson): string | undefined {
  const [place, sort] = [item[INDEX.partition], item[INDEX.sort]];
  return place && sort ? partitionName(table, textOf(place), INDEX.name) : undefined;
}
