import type { WireUsage } from '../messages/types.ts';

/** Counts the prompt as pictures if the provider does not report their tokens, which have a higher price than text. */
export function withPictureTokens(reported: WireUsage): WireUsage {
  if (reported['image_input_tokens']) return reported;
  return { ...reported, input_tokens: 0, image_input_tokens: reported.input_tokens ?? 0 };
}
