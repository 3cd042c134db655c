/**
 * Signatures of Gemini's thinking. Gemini requires each one on its original part: a call, a text, or a thought
 * (https://ai.google.dev/gemini-api/docs/thought-signatures). Clients of the Messages API keep thinking blocks, so the
 * signature of a thinking block contains Gemini's signature and the kind of its part.
 */

import * as z from 'zod';
import { gatewaySignature, signatureOf } from '../../messages/thinking-signatures.ts';
import type { Block } from '../../messages/types.ts';
import type { GeminiTarget } from './target.ts';

const sealedSignatureSchema = z.object({
  /** Kind of the signed part. */
  of: z.enum(['thought', 'text', 'call']),
  /** Other models refuse the signature, even models of the same provider. */
  model: z.string(),
  signature: z.string().min(1),
});
type Sealed = z.infer<typeof sealedSignatureSchema>;

/** For a call without a signature: another model made it, or the client did not keep its thinking. */
export const SIGNATURE_PLACEHOLDER = 'skip_thought_signature_validator';

type Signer = Pick<GeminiTarget, 'providerId' | 'upstreamModel'>;

export function sealSignature(of: Sealed['of'], signature: string, { providerId, upstreamModel }: Signer): string {
  const json = JSON.stringify({ of, model: upstreamModel, signature } satisfies Sealed);
  return gatewaySignature(providerId, Buffer.from(json).toString('base64url'));
}

/** Gemini's signature in a thinking block; undefined if another model signed it, or none did. */
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
    // A client has altered the signature, so it is ignored.
    return undefined;
  }
}
