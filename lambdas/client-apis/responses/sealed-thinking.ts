/**
 * Thinking in the form of the Responses API: an item whose `encrypted_content` holds the block as its provider has signed it. The
 * client gives it back unchanged, because nothing is kept here. It is sealed by the provider's own signature, where there is one;
 * the gateway only writes it down so that nobody takes it for text.
 */

import * as z from 'zod';
import type { Block } from '../../messages/types.ts';

const PREFIX = 'mg1.';

const sealed = z.union([
  z.strictObject({ thinking: z.string(), signature: z.string() }),
  z.strictObject({ data: z.string() }),
]);

/** @param block of thinking, shown or redacted */
export function sealedThinking(block: Block): string {
  const content =
    block.type === 'redacted_thinking'
      ? { data: block['data'] }
      : { thinking: block['thinking'] ?? '', signature: block['signature'] ?? '' };
  return PREFIX + Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** @returns undefined for what this gateway has not written */
export function unsealedThinking(text: string): Block | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  try {
    const content = sealed.parse(JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString('utf8')));
    return { type: 'data' in content ? 'redacted_thinking' : 'thinking', ...content };
  } catch {
    return undefined;
  }
}
