import type { Block, Delta } from '../../messages/types.ts';

/** Content that clients assemble from deltas, before the first delta, by the type of the block. */
const EMPTY: Partial<Record<string, object>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  tool_use: { input: {} },
  server_tool_use: { input: {} },
};

/** Removes from a block the content that clients assemble from deltas. */
export function emptied(block: Block): Block {
  return { ...block, ...EMPTY[block.type] };
}

/**
 * Returns a block with empty content in place of null or missing content; the same block if it has all its content. With
 * null as the text, clients would begin the text with "null".
 */
export function withAllContent(block: Block): Block {
  const missing = Object.entries(EMPTY[block.type] ?? {}).filter(([field]) => block[field] == null);
  return missing.length > 0 ? { ...block, ...Object.fromEntries(missing) } : block;
}

/** Returns the content that `emptied` removes, as deltas. */
export function blockDeltas({ type, text, thinking, signature, input }: Block): Delta[] {
  switch (type) {
    case 'text':
      return text ? [{ type: 'text_delta', text: text as string }] : [];
    case 'thinking':
      return [
        ...(thinking ? [{ type: 'thinking_delta', thinking: thinking as string } as const] : []),
        ...(signature ? [{ type: 'signature_delta', signature: signature as string } as const] : []),
      ];
    case 'tool_use':
    case 'server_tool_use': {
      const json = JSON.stringify(input);
      return json === '{}' ? [] : [{ type: 'input_json_delta', partial_json: json }];
    }
    default:
      return [];
  }
}
