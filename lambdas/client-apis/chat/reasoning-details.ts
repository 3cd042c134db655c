/** Thinking as OpenRouter's `reasoning_details`, one entry per block. Damaged entries of clients are ignored. */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import type { Block } from '../../messages/types.ts';
import { placeMembers, type EarlierThinking, type ThinkingPlace } from './thinking-places.ts';

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
    description:
      'The place of thinking that follows text or calls of its answer. Send it back unchanged; other ids have no effect.',
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

export function textDetail(place: ThinkingPlace, text: string): ShownDetail {
  return { type: 'reasoning.text', text, ...placeMembers(place) };
}

/** Returns the last piece of a text entry, which has the signature. All pieces with the same index form one entry. */
export function signatureDetail(place: ThinkingPlace, signature: string): ShownDetail {
  return { type: 'reasoning.text', signature, format: formatOf(signature), ...placeMembers(place) };
}

/**
 * Returns an encrypted entry. Its id has the end of the data, because the AI SDK's provider for OpenRouter drops
 * encrypted entries with the id of an earlier entry of the conversation
 * (https://github.com/OpenRouterTeam/ai-sdk-provider/blob/main/src/utils/reasoning-details-duplicate-tracker.ts).
 */
export function encryptedDetail(place: ThinkingPlace, data: string): ShownDetail {
  return { type: 'reasoning.encrypted', data, format: formatOf(data), ...placeMembers(place, `-${data.slice(-32)}`) };
}

/** Returns the entry of a complete thinking block. */
export function wholeDetail(place: ThinkingPlace, block: Block): ShownDetail {
  if (block.type === 'redacted_thinking') return encryptedDetail(place, String(block['data']));
  const signature = (block['signature'] ?? '') as string;
  return { ...signatureDetail(place, signature), text: (block['thinking'] ?? '') as string };
}

/**
 * Merges the pieces of an entry, because many clients send back each piece of a stream as an entry
 * (https://github.com/agno-agi/agno/issues/8794). A signature ends an entry.
 */
function mergedDetails(details: readonly ReasoningDetail[]): ReasoningDetail[] {
  const merged: ReasoningDetail[] = [];
  for (const detail of details) {
    const { type, index, text, format } = merged.at(-1) ?? {};
    const isPiece = type === 'reasoning.text' && detail.type === type && typeof index === 'number';
    if (isPiece && detail.index === index && !merged.at(-1)!.signature) {
      const { signature } = detail;
      const whole = (text ?? '') + (detail.text ?? '');
      merged.push({ ...merged.pop()!, text: whole, signature, format: detail.format ?? format });
    } else {
      merged.push(detail);
    }
  }
  return merged;
}

/**
 * Returns a signature or encrypted thinking; empty if it has the format of another service, such as
 * `openai-responses-v1` of OpenRouter, which no model here can read (https://github.com/open-webui/open-webui/issues/28240).
 */
function unlessForeign(sealed: string | null | undefined, format: string | null | undefined): string {
  return !format || format === ANTHROPIC_FORMAT || format === OTHER_FORMAT ? (sealed ?? '') : '';
}

/** Converts the entries that a client sends back to blocks, with the ids of the entries. */
export function thinkingBlocks(details: readonly ReasoningDetail[]): EarlierThinking[] {
  return mergedDetails(details).flatMap(({ type, text, format, id, ...sealed }): EarlierThinking[] => {
    const data = unlessForeign(sealed.data, format);
    if (type === 'reasoning.encrypted') return data ? [{ block: { type: 'redacted_thinking', data }, id }] : [];
    // Some clients merge the pieces of an entry incorrectly, and keep its signature without its text. The entry is
    // dropped.
    if (type !== 'reasoning.text' || typeof text !== 'string') return [];
    return [{ block: { type: 'thinking', thinking: text, signature: unlessForeign(sealed.signature, format) }, id }];
  });
}
