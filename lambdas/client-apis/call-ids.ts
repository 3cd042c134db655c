/** Id of a call in a client's request. */
export type ForeignCallId = string | number | null | undefined;

/** Id for calls that have none. */
const NO_ID = 'call';

/**
 * Assigns ids to the tool calls in a conversation. Some models start to number their calls again in each turn, but some
 * providers accept an id only once. A call with an id that was used before gets a new id, and its result gets the same
 * one. A conversation gets the same ids in every request.
 *
 * Some servers send numbers as ids, or no ids. A result without an id belongs to the oldest call without an id that has
 * no result yet, or else to the oldest of the other calls without a result.
 */
export class ConversationCallIds {
  readonly #used = new Set<string>();
  /** New ids of the calls that have no result yet, by the client's id; the oldest call first. */
  readonly #unanswered = new Map<string, string[]>();
  /** New id of the last call, by the client's id. */
  readonly #last = new Map<string, string>();

  /**
   * Registers a call.
   * @returns the id to send to the provider
   */
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
   * Returns the new id of the oldest call that has this id in the client's request and no result yet. From then on, the
   * call counts as having a result.
   */
  #answered(id: string): string | undefined {
    const waiting = this.#unanswered.get(id);
    const sent = waiting?.shift();
    if (waiting?.length === 0) this.#unanswered.delete(id);
    return sent;
  }

  /**
   * Returns an id that no call has yet. It continues the numbering of the last call with the same id, so that thousands
   * of calls with one id take linear time.
   */
  #free(id: string): string {
    if (!this.#used.has(id)) return id;
    const last = this.#last.get(id);
    let number = last === undefined || last === id ? 2 : Number(last.slice(id.length + 1)) + 1;
    while (this.#used.has(`${id}_${number}`)) number += 1;
    return `${id}_${number}`;
  }
}

function textOf(id: ForeignCallId): string {
  return String(id ?? '') || NO_ID;
}
