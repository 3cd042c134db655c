/** Id of a call as a client sends it. */
export type ForeignCallId = string | number | null | undefined;

/** Id of calls without one. */
const NO_ID = 'call';

/**
 * Ids of tool calls in a conversation. Some models number their calls from the beginning in each turn, but providers
 * accept an id only once. A call with a repeated id gets a new id, and so does its result. The same conversation gets
 * the same ids in every request.
 *
 * Some servers write numbers as ids, or none. A result without an id belongs to the oldest call without a result.
 */
export class ConversationCallIds {
  readonly #used = new Set<string>();
  /** Ids to send of calls without a result yet, by the calls' original id; oldest call first. */
  readonly #unanswered = new Map<string, string[]>();
  /** Id to send of the last call with each original id. */
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

  /** Returns the new id of the oldest call with an id and without a result, which has a result from now on. */
  #answered(id: string): string | undefined {
    const waiting = this.#unanswered.get(id);
    const sent = waiting?.shift();
    if (waiting?.length === 0) this.#unanswered.delete(id);
    return sent;
  }

  /**
   * Returns an id that no call uses yet. Numbering continues from the last call with the same id, so that thousands of
   * calls with one id take linear time.
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
