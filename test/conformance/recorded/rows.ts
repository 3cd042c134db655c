import { messagesWires, type MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import { anthropicRow } from './anthropic.ts';
import { bedrockConverseRow } from './bedrock-converse.ts';
import { googleGeminiRow } from './google-gemini.ts';
import { openaiChatRow } from './openai-chat.ts';
import { openaiResponsesRow } from './openai-responses.ts';
import type { AnyWireRow, WireRow } from './wire-row.ts';

/** How recordings of each wire are read. A new wire joins with a file of its own, and a line here. */
const rows: readonly AnyWireRow[] = [
  anthropicRow,
  openaiChatRow,
  googleGeminiRow,
  openaiResponsesRow,
  bedrockConverseRow,
];

/** Those of wires that the gateway speaks. */
export const wireRows: readonly WireRow[] = rows.filter((row): row is WireRow =>
  messagesWires.includes(row.wire as MessagesWireName),
);
