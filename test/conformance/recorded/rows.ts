import { anthropicRow } from './anthropic.ts';
import { openaiChatRow } from './openai-chat.ts';
import type { WireRow } from './wire-row.ts';

/** A row for each wire that is measured. A new wire joins with a file of its own, and a line here. */
export const wireRows: readonly WireRow[] = [anthropicRow, openaiChatRow];
