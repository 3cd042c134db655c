/**
 * Signatures of thinking blocks. A provider that checks signatures accepts only its own signatures. Thinking of other
 * providers than Anthropic has the signature `gw1.<family>`; the family is its provider or wire. If the provider signs
 * its thinking, its signature follows, `gw1.<family>.<signature>`, and returns only to that family.
 */

import { asBlocks } from './as-blocks.ts';
import { isBlank, isBlankText } from './blank-texts.ts';
import type { Block, Message, MessagesRequest } from './types.ts';

const GATEWAY_PREFIX = 'gw1.';

export function gatewaySignature(family: string, signature?: string): string {
  return signature === undefined ? `${GATEWAY_PREFIX}${family}` : `${GATEWAY_PREFIX}${family}.${signature}`;
}

/** Whether the gateway signed the thinking. Thinking without a signature counts as signed by the gateway. */
export function hasGatewaySignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (signature === undefined && block.type !== 'thinking') return false;
  return typeof signature !== 'string' || signature === '' || signature.startsWith(GATEWAY_PREFIX);
}

/** Whether a provider signed the block. */
export function hasProviderSignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (typeof signature !== 'string' || signature === '') return false;
  return !signature.startsWith(GATEWAY_PREFIX) || signature.indexOf('.', GATEWAY_PREFIX.length) !== -1;
}

/** Removes thinking that Anthropic did not sign, and messages with only such thinking. */
export function withoutGatewaySigned(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (hasGatewaySignature(block) ? undefined : block));
}

/** Removes all thinking. */
export function withoutThinking(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? undefined : block));
}

/**
 * Removes thinking and blank texts at the end of the last answer, with each whole message if nothing else is in it. An
 * answer that was cut off leaves thinking there, which Claude rejects
 * (https://github.com/router-for-me/CLIProxyAPI/issues/5321). The model should not continue an empty answer.
 * @returns the same request if nothing is removed; the first message always stays as it is
 */
export function withoutLooseEnd(request: MessagesRequest): MessagesRequest {
  const { messages } = request;
  const at = Math.max(
    0,
    messages.findLastIndex((message) => keptLength(message) > 0),
  );
  const last = messages[at]!;
  const end = at === 0 ? Infinity : keptLength(last);
  const isWhole = end >= last.content.length;
  if (isWhole && at === messages.length - 1) return request;
  const kept = isWhole ? last : { ...last, content: asBlocks(last.content).slice(0, end) };
  return { ...request, messages: [...messages.slice(0, at), kept] };
}

/** Returns the number of blocks before a loose end; infinite if the message has none. */
function keptLength({ role, content }: Message): number {
  if (role !== 'assistant') return Infinity;
  if (typeof content === 'string') return isBlank(content) ? 0 : Infinity;
  return content.findLastIndex((block) => !isThinking(block) && !isBlankText(block)) + 1;
}

/** Returns the original signature or redacted data if this family signed the block. */
export function signatureOf(family: string, block: Block): string | undefined {
  const prefix = `${GATEWAY_PREFIX}${family}.`;
  const signature = signatureIn(block);
  return typeof signature === 'string' && signature.startsWith(prefix) ? signature.slice(prefix.length) : undefined;
}

function signatureIn(block: Block): unknown {
  switch (block.type) {
    case 'thinking':
      return block['signature'];
    case 'redacted_thinking':
      return block['data'];
    default:
      return undefined;
  }
}

/** Keeps only the thinking that this family signed, with its original signature. */
export function thinkingOf(family: string, messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? asSigned(family, block) : block));
}

/** Placeholder for missing thinking; some providers reject an empty text. */
export const NO_THINKING = ' ';

/**
 * Whether the model may call tools, or has called some. DeepSeek then requires the thinking of every earlier answer
 * (https://api-docs.deepseek.com/guides/thinking_mode, https://github.com/openclaw/openclaw/issues/73417).
 */
export function mayCallTools({ tools, messages }: MessagesRequest): boolean {
  return (
    Boolean(tools?.length) ||
    messages.some(({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'tool_use'))
  );
}

/**
 * Returns the messages for a provider that requires thinking in every answer of a request with tools, but does not
 * check signatures. The provider's own thinking gets its original signature back. Other readable thinking stays only if
 * the gateway signed it, and loses this signature. The rest of the thinking is omitted. With tools, an answer without
 * thinking gets a placeholder.
 */
export function thinkingInAnswers(family: string, request: MessagesRequest): Message[] {
  const readable = mapBlocks(request.messages, (block) =>
    isThinking(block) ? (asSigned(family, block) ?? unsigned(block)) : block,
  );
  return mayCallTools(request) ? readable.map(withSomeThinking) : readable;
}

function withSomeThinking(message: Message): Message {
  const { role, content } = message;
  const blocks = asBlocks(content);
  if (role !== 'assistant' || blocks.some(isThinking)) return message;
  return { ...message, content: [{ type: 'thinking', thinking: NO_THINKING, signature: '' }, ...blocks] };
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function asSigned(family: string, block: Block): Block | undefined {
  const signature = signatureOf(family, block);
  if (signature === undefined) return undefined;
  return { ...block, [block.type === 'thinking' ? 'signature' : 'data']: signature };
}

function unsigned(block: Block): Block | undefined {
  const isReadable = block.type === 'thinking' && block['thinking'] !== '' && hasGatewaySignature(block);
  return isReadable ? { ...block, signature: '' } : undefined;
}

function mapBlocks(messages: Message[], change: (block: Block) => Block | undefined): Message[] {
  return messages.flatMap((message) => {
    // Models may end a turn without content, and some agents store such answers
    // (https://github.com/langchain-ai/langgraph/issues/3168).
    if (message.role === 'assistant' && message.content.length === 0) return [];
    if (typeof message.content === 'string') return [message];
    const content = message.content.map(change).filter((block) => block !== undefined);
    if (
      content.length === message.content.length &&
      content.every((block, index) => block === message.content[index])
    ) {
      return [message];
    }
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}
