/**
 * Throughput of one partition key per second: DynamoDB supports at most 1,000 write units and 3,000 read units in one
 * partition, whatever the table's capacity. Units are counted after a request, so one request may exceed the limit.
 */

export interface UnitRates {
  write: number;
  read: number;
}

export const partitionRates: UnitRates = { write: 1_000, read: 3_000 };

/** Above this number, partitions without recent calls are forgotten. */
const MAX_PARTITIONS = 10_000;

interface Level {
  units: number;
  atMs: number;
}

/** Remaining units of each partition key, for reads or for writes. */
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
