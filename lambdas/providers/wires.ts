import type { MessagesWireName, Wire } from '../catalog/wires.ts';
import type { QuirksOf } from '../catalog/quirk-schemas.ts';
import { anthropicWire } from './anthropic/wire.ts';
import { googleGeminiWire } from './google-gemini/wire.ts';
import { bedrockConverseWire } from './bedrock-converse/wire.ts';
import { openaiChatWire } from './openai-chat/wire.ts';
import { openaiResponsesWire } from './openai-responses/wire.ts';
import type { MessagesWire } from './wire.ts';

const wireCodecs: { [Name in MessagesWireName]: MessagesWire<QuirksOf<Name>> } = {
  anthropic: anthropicWire,
  'openai-chat': openaiChatWire,
  'google-gemini': googleGeminiWire,
  'openai-responses': openaiResponsesWire,
  'bedrock-converse': bedrockConverseWire,
};

/** Returns the codec of a wire for messages; undefined for other wires. */
export function messagesWire(wire: Wire): MessagesWire | undefined {
  return Object.hasOwn(wireCodecs, wire) ? wireCodecs[wire as MessagesWireName] : undefined;
}
