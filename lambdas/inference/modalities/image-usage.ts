/** Converts the usage of a request for images to the forms of OpenRouter's and OpenAI's APIs. */

import { promptTokens, type TokenUsage } from '../../accounting/usage.ts';

/** Returns the usage in the form of OpenRouter's API, in which all output is one count. */
export function imageUsage(usage: TokenUsage, images: number) {
  const prompt = promptTokens(usage);
  const { outputTokens: completion, imageOutputTokens: drawn } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(drawn === undefined ? {} : { completion_tokens_details: { image_tokens: drawn } }),
    output_images: images,
  };
}

/** Returns the usage in the form of OpenAI's API, which counts text and images separately. */
export function openaiImageUsage(usage: TokenUsage, images: number) {
  const prompt = promptTokens(usage);
  const { outputTokens: completion, imageOutputTokens: drawn = 0, imageInputTokens: pictures = 0 } = usage;
  return {
    input_tokens: prompt,
    input_tokens_details: { text_tokens: prompt - pictures, image_tokens: pictures },
    output_tokens: completion,
    output_tokens_details: { text_tokens: completion - drawn, image_tokens: drawn },
    total_tokens: prompt + completion,
    output_images: images,
  };
}
