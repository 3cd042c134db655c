/** Thinking as OpenRouter's `reasoning_details`, one entry per block. Damaged entries of clients are ignored. */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import type { Block } from '../../messages/types.ts';

const MAX_DETAILS = 10_000;
/**
 * Format of an entry whose signature is not the gateway's. Some clients drop entries whose format they do not support.
 */
const ANTHROPIC_FORMAT = 'anthropic-claude-v1';
const OTHER_FORMAT = 'unknown';

const detailFields = {
  text: optionalField(z.string()).meta({ description: 'The thinking as text, of type `reasoning.text`.' }),
  signature: optionalField(z.string()).meta({
    description: 'A signature with which the provider recognises its thinking. Send it back unchanged.',
  }),
  summary: optionalField(z.string()).meta({
    description: 'A summary of the thinking, of type `reasoning.summary`. It is shown to people, and not sent on.',
  }),
  data: optionalField(z.string()).meta({
    description: 'Encrypted thinking, of type `reasoning.encrypted`. Send it back unchanged.',
  }),
  format: optionalField(z.string()).meta({
    description: 'The form of the signature or of the encrypted thinking: `anthropic-claude-v1` or `unknown`.',
  }),
  index: optionalField(z.number()).meta({ description: 'The number of the block of thinking, from 0.' }),
  id: optionalField(z.string()).meta({
    description: 'An id that other gateways give to entries; it is accepted, and has no effect.',
  }),
};

const reasoningDetail = z.looseObject({
  type: z.string().meta({ description: 'The kind of entry: `reasoning.text`, `reasoning.encrypted` or others.' }),
  ...detailFields,
});
export const reasoningDetails = optionalField(boundedList(reasoningDetail, { max: MAX_DETAILS }));
export type ReasoningDetail = z.output<typeof reasoningDetail>;

/** An entry in an answer. */
export type ShownDetail = Record<string, string | number> & { type: string };

/**
 * Returns OpenRouter's name for the format of a signature or of encrypted thinking; `unknown` for the gateway's
 * signatures.
 */
function formatOf(signature: string): string {
  return signature.startsWith('gw1.') ? OTHER_FORMAT : ANTHROPIC_FORMAT;
}

export function textDetail(index: number, text: string): ShownDetail {
  return { type: 'reasoning.text', text, index };
}

/** Returns the last piece of a text entry, which has the signature. All pieces with the same index form one entry. */
export function signatureDetail(index: number, signature: string): ShownDetail {
  return { type: 'reasoning.text', signature, format: formatOf(signature), index };
}

export function encryptedDetail(index: number, data: string): ShownDetail {
  return { type: 'reasoning.encrypted', data, format: formatOf(data), index };
}

/** Returns the entry of a complete block; undefined for blocks other than thinking. */
export function wholeDetail(index: number, block: Block): ShownDetail | undefined {
  if (block.type === 'redacted_thinking') return encryptedDetail(index, String(block['data']));
  if (block.type !== 'thinking') return undefined;
  const signature = (block['signature'] ?? '') as string;
  return { ...signatureDetail(index, signature), text: (block['thinking'] ?? '') as string };
}

/** Converts the entries that a client sends back to blocks. */
export function thinkingBlocks(details: readonly ReasoningDetail[]): Block[] {
  return details.flatMap((detail): Block[] => {
    if (detail.type === 'reasoning.encrypted') {
      return detail.data ? [{ type: 'redacted_thinking', data: detail.data }] : [];
    }
    // Some clients merge the pieces of an entry incorrectly, and keep its signature without its text. The entry is
    // dropped.
    if (detail.type !== 'reasoning.text' || typeof detail.text !== 'string') return [];
    return [{ type: 'thinking', thinking: detail.text, signature: detail.signature ?? '' }];
  });
}
