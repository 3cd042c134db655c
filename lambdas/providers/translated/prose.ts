import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { Block, Delta } from '../../messages/types.ts';

/**
 * Output other than tool calls. `signature` is the signature of the preceding thinking, and ends it. `redacted` and
 * `image` are blocks of their own. `end` ends the open text or thinking.
 */
export interface Prose {
  kind: 'text' | 'refusal' | 'thinking' | 'signature' | 'redacted' | 'image' | 'audio' | 'end';
  text: string;
  /** Token probabilities of a text, if the client requested them. */
  logprobs?: readonly TokenLogprob[] | undefined;
  /** An image, or the beginning and pieces of a recording. */
  block?: Block;
  deltas?: readonly Delta[];
}
