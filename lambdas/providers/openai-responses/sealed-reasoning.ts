/**
 * Stores encrypted reasoning in the signature of a thinking block, which clients keep. Only its provider gets it back,
 * unchanged, with the visible text.
 */

import * as z from 'zod';
import { invalidRequest } from '../../platform/errors.ts';
import { gatewaySignature, signatureOf } from '../../messages/thinking-signatures.ts';
import type { Placed } from '../translated/turns.ts';
import { asText } from '../shapes.ts';
import type { ResponsesItem } from './item.ts';

const sealedReasoningSchema = z.object({ id: z.string().optional(), encrypted_content: z.string().min(1) });

/**
 * Returns the signature that stores a reasoning item; undefined without encrypted content, because the item could then
 * not be sent back.
 */
export function sealReasoning(item: Record<string, unknown>, providerId: string): string | undefined {
  const encrypted = asText(item['encrypted_content']);
  if (encrypted === '') return undefined;
  const id = asText(item['id']);
  const json = JSON.stringify({ ...(id === '' ? {} : { id }), encrypted_content: encrypted });
  return gatewaySignature(providerId, Buffer.from(json).toString('base64url'));
}

/**
 * Returns the reasoning item in a thinking block; undefined if this provider has not sealed it.
 * @throws {GatewayError} 400 if the signature contains no readable item
 */
export function unsealReasoning({ block, path }: Placed, providerId: string): ResponsesItem | undefined {
  const signature = signatureOf(providerId, block);
  if (signature === undefined) return undefined;
  const { success, data } = sealedReasoningSchema.safeParse(jsonIn(signature));
  if (!success) {
    throw invalidRequest(`${path}.signature`, 'was altered; send thinking back unchanged, or leave the block out');
  }
  const thinking = block['thinking'] as string;
  return { type: 'reasoning', ...data, summary: thinking === '' ? [] : [{ type: 'summary_text', text: thinking }] };
}

function jsonIn(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
