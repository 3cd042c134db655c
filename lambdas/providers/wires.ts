import type { Wire } from '../catalog/schema.ts';
import { anthropicWire } from './anthropic/wire.ts';
import { openaiChatWire } from './openai-chat/wire.ts';
import type { MessagesWire } from './wire.ts';

const messagesWires: Partial<Record<Wire, MessagesWire>> = {
  anthropic: anthropicWire,
  'openai-chat': openaiChatWire,
};

/** The codec of a wire that can answer messages; undefined for wires of other kinds of models. */
export function messagesWire(wire: Wire): MessagesWire | undefined {
  return messagesWires[wire];
}
