import { append } from '../../../platform/append.ts';
import { messageStart } from '../../../messages/message-start.ts';
import { MessageAssembler } from '../../../messages/assemble.ts';
import type { AnswerBatch, AnswerEvent, Block, MessageDelta, WireUsage } from '../../../messages/types.ts';
import type { RoundEvents } from '../../../search/round-events.ts';

/**
 * Converts the events of one request to the provider (round) of an answer with searches. Drops the events that end a
 * round, and the start events of later rounds.
 */
export class SearchRound {
  readonly #events: RoundEvents;
  readonly #assembler = new MessageAssembler();
  /** Blocks at the start of the answer; undefined after the first round. */
  readonly #firstBlocks: readonly Block[] | undefined;
  #ending: MessageDelta | undefined;

  constructor(events: RoundEvents, firstBlocks: readonly Block[] | undefined) {
    this.#events = events;
    this.#firstBlocks = firstBlocks;
    // This event is only for the assembler. The client does not get it.
    this.#assembler.add(messageStart({}));
  }

  async *pass(batches: AsyncIterable<AnswerBatch>, countsPromptAtStart: boolean): AsyncGenerator<AnswerBatch, void> {
    try {
      for await (const batch of batches) {
        let { usage } = batch;
        const passed: AnswerEvent[] = [];
        for (const event of batch.events) {
          const { data } = event;
          if (data.type === 'message_start') {
            if (this.#firstBlocks)
              passed.push(event, ...this.#firstBlocks.flatMap((block) => this.#events.whole(block)));
            else if (countsPromptAtStart) usage = promptOf(data.message.usage);
          } else if (data.type === 'message_delta') {
            usage = data.usage;
            this.#end(data);
          } else if (data.type === 'error') {
            append(passed, this.#events.held());
            passed.push(event);
          } else if (data.type !== 'message_stop') {
            append(passed, this.#events.pass(event));
          }
        }
        for (const { data } of passed) this.#assembler.add(data);
        yield { ...batch, events: passed, usage };
      }
    } catch (error) {
      const held = this.#events.held();
      if (held.length > 0) yield { events: held };
      throw error;
    }
  }

  get modelBlocks(): Block[] {
    const firstCount = this.#firstBlocks?.length ?? 0;
    return this.#assembler.finish()!.content.slice(firstCount);
  }

  /** The `message_delta` events of the round, merged. Every provider format (wire) sends this event. */
  get ending(): MessageDelta {
    return this.#ending!;
  }

  #end(event: MessageDelta): void {
    const { delta, usage } = event;
    const known = this.#ending;
    this.#ending = known
      ? {
          ...known,
          delta: { ...known.delta, ...(delta.stop_reason ? delta : {}) },
          usage: { ...known.usage, ...usage },
        }
      : event;
  }
}

/** Returns the usage of the prompt alone. Output tokens are not counted yet at the start of an answer. */
function promptOf({ output_tokens: _output, ...prompt }: WireUsage): WireUsage {
  return prompt;
}
