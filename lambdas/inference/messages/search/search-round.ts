import { append } from '../../../platform/append.ts';
import { messageStart } from '../../../messages/message-start.ts';
import { MessageAssembler } from '../../../messages/assemble.ts';
import type { AnswerBatch, AnswerEvent, Block, MessageDelta, WireUsage } from '../../../messages/types.ts';
import type { RoundEvents } from '../../../search/round-events.ts';

/**
 * Converts the events of one round (request to the provider) of an answer with searches. Drops the events that end a
 * round. Also drops the start event of every round except the first.
 */
export class SearchRound {
  readonly #events: RoundEvents;
  readonly #assembler = new MessageAssembler();
  /** Blocks that are inserted at the start of the answer; undefined after the first round. */
  readonly #firstBlocks: readonly Block[] | undefined;
  #ending: MessageDelta | undefined;

  constructor(events: RoundEvents, firstBlocks: readonly Block[] | undefined) {
    this.#events = events;
    this.#firstBlocks = firstBlocks;
    // Starts the message that is assembled for this round. The client does not get this event.
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

  /** Blocks that the model wrote, in the client's form. */
  get modelBlocks(): Block[] {
    const firstCount = this.#firstBlocks?.length ?? 0;
    return this.#assembler.finish()!.content.slice(firstCount);
  }

  /** The event with the stop reason of this round. Every provider format (wire) sends one at the end of an answer. */
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

/** Returns the usage without output tokens: at the start of an answer they are not counted yet. */
function promptOf({ output_tokens: _output, ...prompt }: WireUsage): WireUsage {
  return prompt;
}
