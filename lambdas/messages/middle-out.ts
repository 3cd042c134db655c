/**
 * Leaves out messages from the middle of a conversation until the rest fits: what it began with and what is being talked
 * about now matter most. A call and its results stay or go together; what the system says, and what the gateway does not
 * know, stays.
 */

import type { Message } from './types.ts';

/** Blocks of messages that may be left out. Any other may change what later messages mean. */
const SAID = new Set([
  'text',
  'image',
  'document',
  'audio',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);

/** Messages that make sense only together: a call and its results, or one message by itself. */
interface TurnExchange {
  index: number;
  messages: Message[];
  tokens: number;
  mayGo: boolean;
}

/**
 * @param tokensOf the probable size of messages
 * @returns what is left, in the same order, and its size; more than `maxTokens` where no more may be left out
 */
export function middleOut(
  messages: readonly Message[],
  maxTokens: number,
  tokensOf: (messages: Message[]) => number,
): { messages: Message[]; tokens: number } {
  const exchanges = exchangesOf(messages, tokensOf);
  const gone = new Set<TurnExchange>();
  let tokens = exchanges.reduce((sum, exchange) => sum + exchange.tokens, 0);
  const onExcluded = (exchange: TurnExchange) => {
    gone.add(exchange);
    tokens -= exchange.tokens;
  };
  for (const exchange of middleFirst(exchanges)) {
    if (tokens <= maxTokens) break;
    onExcluded(exchange);
  }
  if (gone.size > 0) for (const exchange of beforeTheUser(exchanges, gone)) onExcluded(exchange);
  return { messages: exchanges.filter((exchange) => !gone.has(exchange)).flatMap((left) => left.messages), tokens };
}

function exchangesOf(messages: readonly Message[], tokensOf: (messages: Message[]) => number): TurnExchange[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const call = has(message, 'tool_result') ? groups.findLastIndex((group) => group.some(isCall)) : -1;
    // Whatever was said between a call and its results belongs to them.
    const before = call === -1 ? [] : groups.splice(call).flat();
    groups.push([...before, message]);
  }
  return groups.map((group, index) => ({
    index,
    messages: group,
    tokens: tokensOf(group),
    mayGo: index < groups.length - 1 && group.every(isConversation) && !isOpen(group),
  }));
}

/** Those that may go, the first one last. */
function middleFirst(exchanges: readonly TurnExchange[]): TurnExchange[] {
  const middle = (exchanges.length - 1) / 2;
  const distance = ({ index }: TurnExchange) => (index === 0 ? Infinity : Math.abs(index - middle));
  return exchanges.filter(({ mayGo }) => mayGo).toSorted((a, b) => distance(a) - distance(b));
}

function isConversation({ role, content }: Message): boolean {
  return role !== 'system' && (typeof content === 'string' || content.every(({ type }) => SAID.has(type)));
}

/** A call without results: what it finds will be told behind it. */
function isOpen(group: readonly Message[]): boolean {
  return group.some(isCall) && !group.some((message) => has(message, 'tool_result'));
}

/** What the assistant says before the user does: providers refuse a conversation that begins so. */
function beforeTheUser(exchanges: readonly TurnExchange[], gone: ReadonlySet<TurnExchange>): TurnExchange[] {
  const said = exchanges.filter((exchange) => !gone.has(exchange) && roleOf(exchange) !== 'system');
  const end = said.findIndex((exchange) => roleOf(exchange) === 'user' || !exchange.mayGo);
  return end === -1 ? [] : said.slice(0, end);
}

function roleOf({ messages: [first] }: TurnExchange): Message['role'] {
  return first!.role;
}

function isCall(message: Message): boolean {
  return has(message, 'tool_use');
}

function has({ content }: Message, type: string): boolean {
  return typeof content !== 'string' && content.some((block) => block.type === type);
}
