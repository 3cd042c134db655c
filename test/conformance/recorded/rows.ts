import { messagesWires, type MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import { anthropicRow } from './anthropic.ts';
import { bedrockConverseRow } from './bedrock-converse.ts';
import { googleGeminiRow } from './google-gemini.ts';
import { openaiChatRow } from './openai-chat.ts';
import { openaiResponsesRow } from './openai-responses.ts';
import type { AnyWireRow, WireRow } from './wire-row.ts';

/** Readers of recordings, one for each wire. */
const rows: readonly AnyWireRow[] = [
  anthropicRow,
  openaiChatRow,
  googleGeminiRow,
  openaiResponsesRow,
  bedrockConverseRow,
];

/** Readers of recordings, for the wires that the gateway supports. */
export const wireRows: readonly WireRow[] = rows.filter((row): row is WireRow =>
  messagesWires.includes(row.wire as MessagesWireName),
);
