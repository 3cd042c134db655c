/**
 * Image generation by Gemini models with generateContent. One request returns one image.
 * https://ai.google.dev/gemini-api/docs/image-generation
 */

import { isRecord, listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { geminiRefusal } from '../google-gemini/finish-reason.ts';
import { storeField } from '../google-gemini/store-field.ts';
import { withGeminiTier } from '../google-gemini/usage.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import type { ImageCodec } from './codec.ts';

/** Maximum length of a model's own words in an error message. */
const MAX_WRITTEN_CHARACTERS = 500;

export const geminiImages: ImageCodec = {
  requestFor({ prompt, pictures, aspect_ratio: aspectRatio, resolution, seed }, { upstreamModel, quirks }) {
    const files = pictures.map(({ mediaType: mimeType, base64: data }) => ({ inlineData: { mimeType, data } }));
    return jsonRequest(`/models/${upstreamModel}:generateContent`, {
      contents: [{ role: 'user', parts: [...files, { text: prompt }] }],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: aspectRatio || resolution ? { aspectRatio, imageSize: resolution } : undefined,
        seed,
      },
      ...storeField(quirks),
    });
  },

  imagesIn(body) {
    const images = drawnParts(body);
    if (images.length > 0) return images.slice(0, 1).map((base64) => ({ base64 }));
    const reason = geminiRefusal(body) ?? writtenText(body);
    if (reason !== undefined) throw new UpstreamError('refused', `The model refused the image: ${reason}`);
    return [];
  },

  readUsage(body) {
    const { usageMetadata } = recordOrEmpty(body);
    const output_images = Math.min(drawnParts(body).length, 1);
    if (!isRecord(usageMetadata)) return { output_images };
    const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usageMetadata;
    // An image has tokens, so zero counts as not reported. Otherwise only the thinking would be charged.
    if (typeof candidatesTokenCount !== 'number' || candidatesTokenCount === 0) return { output_images };
    const prompt = typeof promptTokenCount === 'number' ? promptTokenCount : 0;
    const thinking = typeof thoughtsTokenCount === 'number' ? thoughtsTokenCount : 0;
    const pictures = Math.min(imageTokensIn(usageMetadata['promptTokensDetails']) ?? 0, prompt);
    const counts = {
      output_images,
      input_tokens: prompt - pictures,
      image_input_tokens: pictures,
      output_tokens: candidatesTokenCount + thinking,
      output_tokens_details: {
        thinking_tokens: thinking,
        image_tokens: imageTokensIn(usageMetadata['candidatesTokensDetails']) ?? candidatesTokenCount,
      },
    };
    return withGeminiTier(counts, usageMetadata);
  },
};

function drawnParts(body: unknown): string[] {
  return finalParts(body).flatMap(({ inlineData }) => {
    const { data } = recordOrEmpty(inlineData);
    return typeof data === 'string' ? [data] : [];
  });
}

/** Returns the text of a model that draws no image (https://github.com/Wei-Shaw/sub2api/pull/3429). */
function writtenText(body: unknown): string | undefined {
  const text = finalParts(body).map((part) => (typeof part['text'] === 'string' ? part['text'] : ''));
  return text.join('').trim().slice(0, MAX_WRITTEN_CHARACTERS) || undefined;
}

/** Returns the parts of the first candidate, without its thoughts, which contain drafts. */
function finalParts(body: unknown): Record<string, unknown>[] {
  const [candidate] = listOrEmpty(recordOrEmpty(body)['candidates']);
  const parts = listOrEmpty(recordOrEmpty(recordOrEmpty(candidate)['content'])['parts']);
  return parts.map(recordOrEmpty).filter(({ thought }) => thought !== true);
}

function imageTokensIn(details: unknown): number | undefined {
  const found = listOrEmpty(details).find((one) => recordOrEmpty(one)['modality'] === 'IMAGE');
  const { tokenCount } = recordOrEmpty(found);
  return typeof tokenCount === 'number' ? tokenCount : undefined;
}
