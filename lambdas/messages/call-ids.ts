import type { Block, Message } from './types.ts';

export type ForeignCallId = string | number | null | undefined;

/** Id for calls without an id. */
const NO_ID = 'call';

/**
 * Assigns ids to the tool calls in a conversation. Some models start to number their calls again in each turn, but some
 * providers accept an id only once. A call with an id that was used before gets a new id, and its result gets the same
 * new id.
 *
 * A result without an id belongs to the oldest call without an id that has no result yet, or else to the oldest of the
 * other calls without a result.
 */
export class ConversationCallIds {
  readonly #used = new Set<string>();
  /** New ids of the calls that have no result yet, by the id from the client. The oldest call is first in its list. */
  readonly #unanswered = new Map<string, string[]>();
  /** New id of the last call, by the client's id. */
  readonly #last = new Map<string, string>();
  /** Number in the latest new id, by the client's id; 1 if that id has no added number. */
  readonly #numbers = new Map<string, number>();

  /** Returns the id of a call to send to the provider. Calls must be passed in the order of the conversation. */
  ofCall(own: ForeignCallId): string {
    const id = textOf(own);
    const sent = this.#free(id);
    this.#used.add(sent);
    this.#last.set(id, sent);
    const waiting = this.#unanswered.get(id);
    if (waiting) waiting.push(sent);
    else this.#unanswered.set(id, [sent]);
    return sent;
  }

  /** Returns the new id of the call to which a result belongs. */
  ofResult(own: ForeignCallId): string {
    const id = textOf(own);
    const isNamed = id !== NO_ID || this.#unanswered.has(id);
    const [key] = isNamed ? [id] : this.#unanswered.keys();
    return (key === undefined ? undefined : this.#answered(key)) ?? this.#last.get(id) ?? id;
  }

  /**
   * Returns the new id of the oldest call that has this id from the client and no result yet. The call then counts as
   * answered.
   */
  #answered(id: string): string | undefined {
    const waiting = this.#unanswered.get(id);
    const sent = waiting?.shift();
    if (waiting?.length === 0) this.#unanswered.delete(id);
    return sent;
  }

  /**
   * Returns an unused id. Numbers continue after the last call with the same id, so that the total time stays linear.
   */
  #free(id: string): string {
    let sent = id;
    let number = this.#numbers.get(id) ?? 1;
    while (this.#used.has(sent)) sent = `${id}_${(number += 1)}`;
    this.#numbers.set(id, number);
    return sent;
  }
}

/**
 * Gives each call a unique id if ids are repeated in a conversation of the Messages API. Some services repeat ids, and
 * other providers then reject the conversation.
 * @returns the same list if all ids are unique
 */
export function withUniqueCallIds(messages: Message[]): Message[] {
  const sent = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter(isCall)));
  if (new Set(sent.map((call) => call['id'])).size === sent.length) return messages;
  const ids = new ConversationCallIds();
  const renamed = (block: Block): Block => {
    if (isCall(block)) return { ...block, id: ids.ofCall(block['id'] as string) };
    if (block.type !== 'tool_result') return block;
    return { ...block, tool_use_id: ids.ofResult(block['tool_use_id'] as string) };
  };
  return messages.map((message) =>
    typeof message.content === 'string' ? message : { ...message, content: message.content.map(renamed) },
  );
}

function isCall({ type }: Block): boolean {
  return type === 'tool_use';
}

function textOf(id: ForeignCallId): string {
  return String(id ?? '') || NO_ID;
}
