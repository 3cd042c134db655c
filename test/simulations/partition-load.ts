/**
 * Units that each partition key of a simulated table takes, and the limits of a key. The keys of the sweep index are
 * included, because DynamoDB refuses a write if the index has no capacity for it.
 */

import type { Attributes } from '../../lambdas/store/table/attribute-values.ts';
import { indexes } from '../../lambdas/store/table/table.ts';
import { itemBytes, readUnits, writeUnits } from '../support/table-rules/item-units.ts';
import { PartitionUnits, partitionRates } from '../support/table-rules/throughput.ts';

/** The item before and after a write. */
export interface ItemChange {
  partition: string;
  before: Attributes | undefined;
  after: Attributes;
}

export class PartitionLoad {
  readonly taken = { write: new Map<string, number>(), read: new Map<string, number>() };
  readonly #rooms: { write: PartitionUnits; read: PartitionUnits };

  constructor(nowMs: () => number) {
    this.#rooms = {
      write: new PartitionUnits(partitionRates.write, nowMs),
      read: new PartitionUnits(partitionRates.read, nowMs),
    };
  }

  takesWrite(change: ItemChange): boolean {
    const partitions = [change.partition, ...indexWrites(change)];
    return partitions.every((partition) => this.#rooms.write.hasRoom(partition));
  }

  write(change: ItemChange, how: { isTransaction: boolean }): void {
    const bytes = Math.max(bytesOf(change.before), bytesOf(change.after));
    this.#take('write', change.partition, writeUnits(bytes, how));
    for (const partition of indexWrites(change)) this.#take('write', partition, 1);
  }

  takesRead(partition: string): boolean {
    return this.#rooms.read.hasRoom(partition);
  }

  read(partition: string, items: (Attributes | undefined)[], isConsistent: boolean): void {
    const bytes = items.reduce((sum, item) => sum + bytesOf(item), 0);
    this.#take('read', partition, readUnits(bytes, isConsistent ? 'strong' : 'eventual'));
  }

  #take(kind: 'write' | 'read', partition: string, units: number): void {
    this.#rooms[kind].take(partition, units);
    this.taken[kind].set(partition, (this.taken[kind].get(partition) ?? 0) + units);
  }
}

/**
 * Returns the index partition of each write. A change of an entry is two writes (a removal and a new entry); an
 * addition or a removal is one.
 */
function indexWrites({ before, after }: ItemChange): string[] {
  const [old, current] = [entryOf(before), entryOf(after)];
  if (old?.sort === current?.sort && old?.partition === current?.partition) return [];
  return [old, current].flatMap((entry) => (entry ? [entry.partition] : []));
}

function entryOf(item: Attributes | undefined): { partition: string; sort: string } | undefined {
  const [partition, sort] = [indexes.sweep.partition, indexes.sweep.sort].map(
    (name) => (item?.[name] as { S: string } | undefined)?.S,
  );
  return partition === undefined || sort === undefined ? undefined : { partition, sort };
}

function bytesOf(item: Attributes | undefined): number {
  return item ? itemBytes(item) : 0;
}
