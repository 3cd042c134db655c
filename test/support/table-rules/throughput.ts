/**
 * The throughput of one partition key in a second. DynamoDB stores a key's items in a partition, which writes 1,000 units and reads 3,000 in a
 * second at most, however much the table may do. Units are counted when a call has been carried out, so one call may pass what there is;
 * the calls after it wait until that is made up for.
 */

export interface UnitRates {
  write: number;
  read: number;
}

export const partitionRates: UnitRates = { write: 1_000, read: 3_000 };

/** Beyond this number, partitions that are at rest are forgotten. */
const MAX_PARTITIONS = 10_000;

interface Level {
  units: number;
  atMs: number;
}

/** The units that are left of each partition key, of one kind: of reads, or of writes. */
export class PartitionUnits {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  readonly #levels = new Map<string, Level>();

  constructor(perSecond: number, nowMs: () => number) {
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
  }

  hasRoom(partition: string): boolean {
    return this.#levelOf(partition) > 0;
  }

  take(partition: string, units: number): void {
    this.#levels.set(partition, { units: this.#levelOf(partition) - units, atMs: this.#nowMs() });
    if (this.#levels.size > MAX_PARTITIONS) this.#forgetThoseAtRest();
  }

  #levelOf(partition: string): number {
    const level = this.#levels.get(partition);
    if (!level) return this.#perSecond;
    return Math.min(this.#perSecond, level.units + ((this.#nowMs() - level.atMs) / 1_000) * this.#perSecond);
  }

  #forgetThoseAtRest(): void {
    for (const partition of this.#levels.keys()) {
      if (this.#levelOf(partition) >= this.#perSecond) this.#levels.delete(partition);
    }
  }
}
