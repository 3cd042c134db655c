import type { MessagesEvent } from '../../messages/types.ts';
import { append } from '../../platform/append.ts';

export type BlockEvent = Extract<MessagesEvent, { index: number }>;

/**
 * Maximum number of events that wait for the end of an earlier block. Each takes up to 300 bytes of memory besides its
 * text.
 */
const MAX_WAITING_EVENTS = 65_536;

/**
 * Puts blocks one after another, as clients of the Responses API expect. Some providers interleave them. If too many
 * events wait, the current block counts as ended, and its later events are dropped.
 */
export class BlockOrder {
  #index: number | undefined;
  /** Events of later blocks, by the index of the block. */
  readonly #waiting = new Map<number, BlockEvent[]>();
  /** Number of events that wait. */
  #count = 0;

  /** Returns the events to write now. Events of later blocks wait for the end of the current one. */
  next(event: BlockEvent): BlockEvent[] {
    const { index } = event;
    if (this.#index === undefined || this.#index === index) return this.#passed([event]);
    const waiting = this.#waiting.get(index) ?? [];
    waiting.push(event);
    this.#waiting.set(index, waiting);
    this.#count += 1;
    return this.#count > MAX_WAITING_EVENTS ? this.#afterCurrent() : [];
  }

  /** Returns the events that wait at the end of the answer, and ends the blocks before them. */
  drain(): BlockEvent[] {
    const events: BlockEvent[] = [];
    while (this.#waiting.size > 0) {
      append(events, this.#afterCurrent());
    }
    return events;
  }

  /** Ends the current block. Returns its end and the waiting events to write after it. */
  #afterCurrent(): BlockEvent[] {
    return this.#passed([{ type: 'content_block_stop', index: this.#index! }]);
  }

  /** Returns events of the current block, and the waiting events of the next blocks, up to a block that is open. */
  #passed(events: BlockEvent[]): BlockEvent[] {
    const { type, index } = events.at(-1)!;
    this.#index = type === 'content_block_stop' ? undefined : index;
    for (const [next, waiting] of this.#waiting) {
      if (this.#index !== undefined) break;
      this.#waiting.delete(next);
      this.#count -= waiting.length;
      append(events, waiting);
      if (waiting.at(-1)!.type !== 'content_block_stop') this.#index = next;
    }
    return events;
  }
}
