/**
 * Stores Gemini's signatures in thinking blocks, with the kind of the signed part. Gemini requires them on calls,
 * texts, images and thoughts (https://ai.google.dev/gemini-api/docs/thought-signatures), but clients keep only
 * signatures of thinking.
 */

import * as z from 'zod';
import { gatewaySignature, signatureOf } from '../../messages/thinking-signatures.ts';
import type { Block } from '../../messages/types.ts';
import type { GeminiTarget } from './target.ts';

const sealedSignatureSchema = z.object({
  /** Kind of the signed part. */
  of: z.enum(['thought', 'text', 'call', 'image']),
  /** Model that made the signature. Other models reject it, even those of the same provider. */
  model: z.string(),
  signature: z.string().min(1),
});
type Sealed = z.infer<typeof sealedSignatureSchema>;

/** Placeholder, accepted by Gemini, for a missing signature. */
export const SIGNATURE_PLACEHOLDER = 'skip_thought_signature_validator';

type Signer = Pick<GeminiTarget, 'providerId' | 'upstreamModel'>;

export function sealSignature(of: Sealed['of'], signature: string, { providerId, upstreamModel }: Signer): string {
  const json = JSON.stringify({ of, model: upstreamModel, signature } satisfies Sealed);
  return gatewaySignature(providerId, Buffer.from(json).toString('base64url'));
}

/** Returns Gemini's signature in a block; undefined if it has none, it was altered, or another model signed it. */
export function openSignature(block: Block, { providerId, upstreamModel }: Signer): Omit<Sealed, 'model'> | undefined {
  const own = signatureOf(providerId, block);
  if (own === undefined) return undefined;
  const { data } = sealedSignatureSchema.safeParse(readJson(Buffer.from(own, 'base64url').toString()));
  return data?.model === upstreamModel ? data : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The client altered the signature, so it is no longer the gateway's JSON, and is ignored.
    return undefined;
  }
}
