import type { MessageDelta } from '../messages/types.ts';

/**
 * Merges an ending of an answer (`message_delta`) with the endings before it. Returns the ending to send at the end of
 * the stream. Providers may report usage, or close blocks, after the stop reason, but OpenAI's clients expect one
 * ending, after all content.
 */
export function lastEnding(last: MessageDelta | undefined, event: MessageDelta): MessageDelta | undefined {
  if (event.delta.stop_reason === null) return last;
  return { ...last, ...event, usage: { ...last?.usage, ...event.usage } };
}
