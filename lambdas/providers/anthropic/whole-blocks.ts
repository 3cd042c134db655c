import type { Block, Delta } from '../../messages/types.ts';

/** Removes from a block the content that clients assemble from deltas. */
export function emptied(block: Block): Block {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
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
      const json = JSON.stringify(input ?? {});
      return json === '{}' ? [] : [{ type: 'input_json_delta', partial_json: json }];
    }
    default:
      return [];
  }
}
