/**
 * Shortens a conversation by omitting messages from its middle. A tool call and its results are kept or omitted
 * together. System messages and the last message are always kept.
 */

import type { Message } from './types.ts';

/** Types of blocks in messages that may be omitted. Other blocks may change the meaning of later messages. */
const OMITTABLE_TYPES = new Set([
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

/** All messages from a tool call to its results, or a single message. */
interface TurnExchange {
  index: number;
  messages: Message[];
  tokens: number;
  mayBeOmitted: boolean;
}

/**
 * Omits messages until the remaining conversation fits.
 * @returns the remaining messages in order, and their size, which exceeds `maxTokens` if no more messages may be
 *   omitted
 */
export function middleOut(
  messages: readonly Message[],
  maxTokens: number,
  tokensOf: (messages: Message[]) => number,
): { messages: Message[]; tokens: number } {
  const exchanges = exchangesOf(messages, tokensOf);
  const omitted = new Set<TurnExchange>();
  let tokens = exchanges.reduce((sum, exchange) => sum + exchange.tokens, 0);
  const onExcluded = (exchange: TurnExchange) => {
    omitted.add(exchange);
    tokens -= exchange.tokens;
  };
  for (const exchange of middleFirst(exchanges)) {
    if (tokens <= maxTokens) break;
    onExcluded(exchange);
  }
  if (omitted.size > 0) for (const exchange of beforeTheUser(exchanges, omitted)) onExcluded(exchange);
  return { messages: exchanges.filter((exchange) => !omitted.has(exchange)).flatMap((left) => left.messages), tokens };
}

function exchangesOf(messages: readonly Message[], tokensOf: (messages: Message[]) => number): TurnExchange[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const call = has(message, 'tool_result') ? groups.findLastIndex((group) => group.some(isCall)) : -1;
    const before = call === -1 ? [] : groups.splice(call).flat();
    groups.push([...before, message]);
  }
  return groups.map((group, index) => ({
    index,
    messages: group,
    tokens: tokensOf(group),
    mayBeOmitted: index < groups.length - 1 && group.every(isConversation) && !isOpen(group),
  }));
}

/** Sorts the exchanges that may be omitted: from the middle outwards, and the first exchange of all at the end. */
function middleFirst(exchanges: readonly TurnExchange[]): TurnExchange[] {
  const middle = (exchanges.length - 1) / 2;
  const distance = ({ index }: TurnExchange) => (index === 0 ? Infinity : Math.abs(index - middle));
  return exchanges.filter(({ mayBeOmitted }) => mayBeOmitted).toSorted((a, b) => distance(a) - distance(b));
}

function isConversation({ role, content }: Message): boolean {
  return role !== 'system' && (typeof content === 'string' || content.every(({ type }) => OMITTABLE_TYPES.has(type)));
}

/** Returns whether the messages contain a call, but no result. The results may follow in a later message. */
function isOpen(group: readonly Message[]): boolean {
  return group.some(isCall) && !group.some((message) => has(message, 'tool_result'));
}

/**
 * Returns the remaining exchanges to omit before the first user message, because some providers reject a conversation
 * that begins with an assistant message.
 */
function beforeTheUser(exchanges: readonly TurnExchange[], omitted: ReadonlySet<TurnExchange>): TurnExchange[] {
  const remaining = exchanges.filter((exchange) => !omitted.has(exchange) && roleOf(exchange) !== 'system');
  const end = remaining.findIndex((exchange) => roleOf(exchange) === 'user' || !exchange.mayBeOmitted);
  return end === -1 ? [] : remaining.slice(0, end);
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
