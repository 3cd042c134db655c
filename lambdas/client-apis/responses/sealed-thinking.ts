/**
 * Thinking in the form of the Responses API: the item's `encrypted_content` contains the thinking block as its provider
 * signed it. The content is only encoded, not encrypted; it is protected only by the provider's signature, if there is
 * one.
 */

import * as z from 'zod';
import type { Block } from '../../messages/types.ts';

const PREFIX = 'mg1.';

const sealed = z.union([
  z.strictObject({ thinking: z.string(), signature: z.string() }),
  z.strictObject({ data: z.string() }),
]);

/** Encodes a thinking block. */
export function sealedThinking(block: Block): string {
  const content =
    block.type === 'redacted_thinking'
      ? { data: block['data'] }
      : { thinking: block['thinking'] ?? '', signature: block['signature'] ?? '' };
  return PREFIX + Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Decodes a thinking block; returns undefined for text in another form. */
export function unsealedThinking(text: string): Block | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  try {
    const content = sealed.parse(JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString('utf8')));
    return { type: 'data' in content ? 'redacted_thinking' : 'thinking', ...content };
  } catch {
    return undefined;
  }
}
