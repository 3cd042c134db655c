import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { Block, Delta } from '../../messages/types.ts';

/**
 * Output other than calls. The kind `signature` ends the thinking before it. The kind `end` ends the open block, unless
 * the block is a call.
 */
export interface Prose {
  kind: 'text' | 'refusal' | 'thinking' | 'signature' | 'redacted' | 'image' | 'audio' | 'end';
  text: string;
  /** Token probabilities of a text, if the client requested them. */
  logprobs?: readonly TokenLogprob[] | undefined;
  /** Phase of a text's message. */
  phase?: string | undefined;
  /** An image, or the beginning of audio, whose pieces are in `deltas`. */
  block?: Block;
  deltas?: readonly Delta[];
}
