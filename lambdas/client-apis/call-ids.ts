/**
 * Ids of calls in a conversation. Some models count their calls anew in each turn, and providers take an id once in a conversation: a
 * call whose id stands before gets a new one, and so does its result. The same conversation gets the same ids in every request.
 */
export class ConversationCallIds {
  readonly #used = new Set<string>();
  /** The calls of an id that have no result yet, the oldest first. */
  readonly #unanswered = new Map<string, string[]>();
  /** The last call of an id. */
  readonly #last = new Map<string, string>();

  /** @returns the id under which a call is sent */
  ofCall(id: string): string {
    const sent = this.#free(id);
    this.#used.add(sent);
    this.#last.set(id, sent);
    const waiting = this.#unanswered.get(id);
    if (waiting) waiting.push(sent);
    else this.#unanswered.set(id, [sent]);
    return sent;
  }

  /** @returns the id of the call that a result answers */
  ofResult(id: string): string {
    return this.#unanswered.get(id)?.shift() ?? this.#last.get(id) ?? id;
  }

  /** Numbers go on from the last call of the id, so that thousands of calls with one id are found a name each at once. */
  #free(id: string): string {
    if (!this.#used.has(id)) return id;
    const last = this.#last.get(id);
    let number = last === undefined || last === id ? 2 : Number(last.slice(id.length + 1)) + 1;
    while (this.#used.has(`${id}_${number}`)) number += 1;
    return `${id}_${number}`;
  }
}
