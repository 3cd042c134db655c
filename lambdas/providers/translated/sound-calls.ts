/**
 * Repairs the order of tool calls and results. Providers require that each call has a unique id, that its result
 * directly follows it, and that each result has a call. A conversation may violate this, for example because an agent
 * was interrupted, a model reused ids in each turn, or instructions came between a call and its result.
 */

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
  /** Calls in the last assistant turn that have no result yet: the client's id, and the id to send. */
  #open: { id: string; sent: string }[] = [];
  /** Calls in the last assistant turn that already have a result: the id to send, by the client's id. */
  #answered = new Map<string, string>();
  /** System messages between the last calls and their results. */
  #between: Message[] = [];
  /** Index in #messages of the first user message after the last calls, which gets the results; undefined before it. */
  #answerAt: number | undefined;

  add(message: Message, index: number): void {
    switch (message.role) {
      case 'assistant':
        if (this.#answerAt !== undefined) this.#close();
        this.#messages.push(this.#withOwnIds(message));
        break;
      case 'system':
        if (this.#open.length > 0 && this.#answerAt === undefined) this.#between.push(message);
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
    const hasCalls = this.#open.length > 0 || this.#answered.size > 0;
    if (!hasCalls || this.#answerAt === undefined) {
      this.#answerAt = this.#messages.length;
      this.#messages.push(repaired);
      this.#messages.push(...this.#between.splice(0));
      return;
    }
    // The results of one turn must be in one message, before the rest of the user's content.
    const { results, rest } = apartFromResults(repaired);
    if (results.length > 0) this.#answer(results);
    if (rest.length > 0) this.#messages.push(results.length > 0 ? { ...repaired, content: rest } : repaired);
  }

  #answer(results: Block[]): void {
    const at = this.#answerAt!;
    const own = apartFromResults(this.#messages[at]!);
    this.#messages[at] = {
      ...this.#messages[at]!,
      content: [...lastOfEach([...own.results, ...results]), ...own.rest],
    };
  }

  /** Ends the user's turn. Calls that still lack a result get a placeholder result. */
  #close(): void {
    if (this.#open.length > 0) {
      const results = this.#open.map(({ sent }) => ({ type: 'tool_result', tool_use_id: sent, content: NO_RESULT }));
      if (this.#answerAt === undefined) this.#messages.push({ role: 'user', content: results });
      else this.#answer(results);
    }
    this.#messages.push(...this.#between.splice(0));
    this.#open = [];
    this.#answered = new Map();
    this.#answerAt = undefined;
  }

  #withOwnIds(message: Message): Message {
    if (!hasToolBlocks(message)) return message;
    const content = (message.content as Block[]).map((block) => {
      if (block.type !== 'tool_use') return block;
      const id = block['id'] as string;
      const sent = this.#freeId(id);
      this.#used.add(sent);
      this.#open.push({ id, sent });
      return sent === id ? block : { ...block, id: sent };
    });
    return content.every((block, at) => block === message.content[at]) ? message : { ...message, content };
  }

  #freeId(id: string): string {
    if (!this.#used.has(id)) return id;
    let number = 2;
    while (this.#used.has(`${id}_${number}`)) number += 1;
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
    const at = this.#open.findIndex((call) => call.id === id);
    const sent = this.#open[at]?.sent ?? this.#answered.get(id);
    if (sent === undefined) {
      throw invalidRequest(`${path}.tool_use_id`, 'has no tool_use with this id directly before it');
    }
    if (at !== -1) this.#open.splice(at, 1);
    this.#answered.set(id, sent);
    return sent === id ? block : { ...block, tool_use_id: sent };
  }
}

function apartFromResults({ content }: Message): { results: Block[]; rest: Block[] } {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    results: lastOfEach(blocks.filter(({ type }) => type === 'tool_result')),
    rest: blocks.filter(({ type }) => type !== 'tool_result'),
  };
}

/**
 * Returns the last result of each call, at the place of its first one. Agents that retry a turn may store several
 * results of a call, but providers accept only one (https://github.com/router-for-me/CLIProxyAPI/pull/4998).
 */
function lastOfEach(results: readonly Block[]): Block[] {
  return [...new Map(results.map((result) => [result['tool_use_id'], result])).values()];
}
