/**
 * Ids of tool calls in a conversation. Some models number their calls from the beginning in each turn, but providers
 * accept an
 * id only once. So a call with a repeated id gets a new id, and its result does too. The new ids are the same in every
 * request
 * with the same conversation.
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
  ofCall(id: string): string {
    const sent = this.#free(id);
    this.#used.add(sent);
    this.#last.set(id, sent);
    const waiting = this.#unanswered.get(id);
    if (waiting) waiting.push(sent);
    else this.#unanswered.set(id, [sent]);
    return sent;
  }

  /** Returns the id, as sent to the provider, of the call to which a result belongs. */
  ofResult(id: string): string {
    return this.#unanswered.get(id)?.shift() ?? this.#last.get(id) ?? id;
  }

  /**
   * Returns an id that no call uses yet. Numbering continues from the last call with the same id, so that thousands of
   * calls with
   * one id take linear time.
   */
  #free(id: string): string {
    if (!this.#used.has(id)) return id;
    const last = this.#last.get(id);
    let number = last === undefined || last === id ? 2 : Number(last.slice(id.length + 1)) + 1;
    while (this.#used.has(`${id}_${number}`)) number += 1;
    return `${id}_${number}`;
  }
}
