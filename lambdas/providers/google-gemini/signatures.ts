/**
 * Gemini signs what it thought, and wants each signature back on the part that it came on: a call, a text, or a thought
 * (https://ai.google.dev/gemini-api/docs/thought-signatures). Clients of the Messages API keep thinking blocks, so a
 * signature travels as that of one, sealed together with what it belongs to.
 */

import * as z from 'zod';
import { gatewaySignature, signatureOf } from '../../messages/thinking-signatures.ts';
import type { Block } from '../../messages/types.ts';
import type { GeminiTarget } from './target.ts';

const sealedSignatureSchema = z.object({
  /** The part that it came on. */
  of: z.enum(['thought', 'text', 'call']),
  /** Another model, of the same provider too, refuses it. */
  model: z.string(),
  signature: z.string().min(1),
});
type Sealed = z.infer<typeof sealedSignatureSchema>;

/** For a call that has no signature, because another model made it or the client did not keep its thinking. */
export const SIGNATURE_PLACEHOLDER = 'skip_thought_signature_validator';

type Signer = Pick<GeminiTarget, 'providerId' | 'upstreamModel'>;

export function sealSignature(of: Sealed['of'], signature: string, { providerId, upstreamModel }: Signer): string {
  const json = JSON.stringify({ of, model: upstreamModel, signature } satisfies Sealed);
  return gatewaySignature(providerId, Buffer.from(json).toString('base64url'));
}

/** What a block of thinking carries for this model; undefined where another signed it, or nobody. */
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
    // A client has changed it: it signs nothing.
    return undefined;
  }
}
