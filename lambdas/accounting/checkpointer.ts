import { describeError, log } from '../platform/logger.ts';
import { checkpoint, type GenerationId } from '../store/generations/generation-writes.ts';
import type { Outcome } from '../store/generations/outcome.ts';
import type { Table } from '../store/table/table.ts';

/** Time in ms before the first checkpoint; quick answers end earlier. */
const FIRST_AFTER_MS = 1_000;
const EVERY_MS = 10_000;

/**
 * Records the usage of a running answer one second after its request, and then about every ten seconds. If the handler
 * dies, the sweep settles the generation from this record. Makes one write at a time.
 */
export class Checkpointer {
  readonly #table: Table;
  readonly #generation: GenerationId;
  #dueAtMs = performance.now() + FIRST_AFTER_MS;
  #writing: Promise<void> | undefined;

  constructor(table: Table, generation: GenerationId) {
    this.#table = table;
    this.#generation = generation;
  }

  tick(measure: () => Outcome): void {
    if (this.#writing || performance.now() < this.#dueAtMs) return;
    this.#dueAtMs = performance.now() + EVERY_MS;
    this.#writing = checkpoint(this.#table, this.#generation, measure())
      .catch((error: unknown) =>
        log('warn', 'checkpoint failed', { generationId: this.#generation.id, ...describeError(error) }),
      )
      .finally(() => (this.#writing = undefined));
  }

  async settled(): Promise<void> {
    await this.#writing;
  }
}
