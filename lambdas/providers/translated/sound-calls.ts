/**
 * Repairs tool calls and results. Providers require unique ids, a result directly after each call, and a call for each
 * result.
 */

import { asBlocks } from '../../messages/as-blocks.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';

/** Content of the placeholder result for a call without a result. */
const NO_RESULT = '(no result)';

/**
 * Repairs the tool calls and results of a request.
 * @returns the same request if nothing has to change
 * @throws {GatewayError} 400 for a result whose call is not directly before it
 */
export function withSoundCalls(request: MessagesRequest): MessagesRequest {
  if (!request.messages.some(hasToolBlocks)) return request;
  const conversation = new SoundConversation();
  for (const [index, message] of request.messages.entries()) conversation.add(message, index);
  const messages = conversation.end();
  const isSame =
    messages.length === request.messages.length && messages.every((one, index) => one === request.messages[index]);
  return isSame ? request : { ...request, messages };
}

function hasToolBlocks({ content }: Message): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool_use' || type === 'tool_result');
}

class SoundConversation {
  readonly #messages: Message[] = [];
  readonly #used = new Set<string>();
  /** Number that was added last to a repeated id, by the client's id. */
  readonly #numbers = new Map<string, number>();
  /** Calls in the last assistant turn that have no result yet: the ids to send, by the client's id. */
  readonly #open = new Map<string, string[]>();
  /** Calls in the last assistant turn that already have a result: the id to send, by the client's id. */
  #answered = new Map<string, string>();
  /** System messages between the last calls and their results. */
  #between: Message[] = [];
  /** Results of the last calls that are in user messages after the first user message, in order. */
  #late: Block[] = [];
  /**
   * Index in #messages of the first user message after the last calls, which gets the results; undefined before that
   * message.
   */
  #answerAt: number | undefined;

  add(message: Message, index: number): void {
    switch (message.role) {
      case 'assistant':
        if (this.#answerAt !== undefined) this.#close();
        this.#messages.push(this.#withOwnIds(message));
        break;
      case 'system':
        if (this.#open.size > 0 && this.#answerAt === undefined) this.#between.push(message);
        else this.#messages.push(message);
        break;
      case 'user':
        this.#addUser(message, index);
    }
  }

  end(): Message[] {
    this.#close();
    return this.#messages;
  }

  #addUser(message: Message, index: number): void {
    const repaired = this.#withResults(message, index);
    const hasCalls = this.#open.size > 0 || this.#answered.size > 0;
    if (!hasCalls || this.#answerAt === undefined) {
      this.#answerAt = this.#messages.length;
      this.#messages.push(repaired);
      this.#messages.push(...this.#between.splice(0));
      return;
    }
    // The results of one turn must be in one message, before the rest of the user's content.
    const { results, rest } = apartFromResults(repaired);
    this.#late.push(...results);
    if (rest.length > 0) this.#messages.push(results.length > 0 ? { ...repaired, content: rest } : repaired);
  }

  /** Ends the user's turn. Calls that still lack a result get a placeholder result. */
  #close(): void {
    for (const sent of [...this.#open.values()].flat()) {
      this.#late.push({ type: 'tool_result', tool_use_id: sent, content: NO_RESULT });
    }
    if (this.#late.length > 0) this.#answer(this.#late);
    this.#messages.push(...this.#between.splice(0));
    this.#open.clear();
    this.#late = [];
    this.#answered = new Map();
    this.#answerAt = undefined;
  }

  #answer(results: Block[]): void {
    if (this.#answerAt === undefined) {
      this.#messages.push({ role: 'user', content: results });
      return;
    }
    const message = this.#messages[this.#answerAt]!;
    const own = apartFromResults(message);
    this.#messages[this.#answerAt] = {
      ...message,
      content: [...lastOfEach([...own.results, ...results]), ...own.rest],
    };
  }

  #withOwnIds(message: Message): Message {
    if (!hasToolBlocks(message)) return message;
    const content = (message.content as Block[]).map((block) => {
      if (block.type !== 'tool_use') return block;
      const id = block['id'] as string;
      const sent = this.#freeId(id);
      this.#used.add(sent);
      const open = this.#open.get(id);
      if (open) open.push(sent);
      else this.#open.set(id, [sent]);
      return sent === id ? block : { ...block, id: sent };
    });
    return content.every((block, at) => block === message.content[at]) ? message : { ...message, content };
  }

  #freeId(id: string): string {
    if (!this.#used.has(id)) return id;
    let number = (this.#numbers.get(id) ?? 1) + 1;
    while (this.#used.has(`${id}_${number}`)) number += 1;
    this.#numbers.set(id, number);
    return `${id}_${number}`;
  }

  #withResults(message: Message, index: number): Message {
    if (!hasToolBlocks(message)) return message;
    const blocks = message.content as Block[];
    const renamed = blocks.map((block, place) =>
      block.type === 'tool_result' ? this.#result(block, `messages.${index}.content.${place}`) : block,
    );
    const { results, rest } = apartFromResults({ ...message, content: renamed });
    const content = [...results, ...rest];
    const isSame = content.length === blocks.length && content.every((block, at) => block === blocks[at]);
    return isSame ? message : { ...message, content };
  }

  #result(block: Block, path: string): Block {
    const id = block['tool_use_id'] as string;
    const open = this.#open.get(id);
    const sent = open?.shift() ?? this.#answered.get(id);
    if (sent === undefined) {
      throw invalidRequest(`${path}.tool_use_id`, 'has no call with this id directly before it');
    }
    if (open?.length === 0) this.#open.delete(id);
    this.#answered.set(id, sent);
    return sent === id ? block : { ...block, tool_use_id: sent };
  }
}

function apartFromResults({ content }: Message): { results: Block[]; rest: Block[] } {
  const blocks = asBlocks(content);
  return {
    results: lastOfEach(blocks.filter(({ type }) => type === 'tool_result')),
    rest: blocks.filter(({ type }) => type !== 'tool_result'),
  };
}

/**
 * Returns the last result of each call. Agents that retry a turn may store several results of a call, but providers
 * accept only one (https://github.com/router-for-me/CLIProxyAPI/pull/4998).
 */
function lastOfEach(results: readonly Block[]): Block[] {
  return [...new Map(results.map((result) => [result['tool_use_id'], result])).values()];
}
