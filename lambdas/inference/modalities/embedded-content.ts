import {
  inputsOf,
  isContent,
  type EmbeddedContent,
  type EmbeddingInput,
  type EmbeddingsRequest,
} from '../../embeddings/schema.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import { limitConcurrency } from '../../platform/concurrency/concurrency-limit.ts';
import { pictureAsUrl } from '../pictures.ts';

const MAX_FETCHES_AT_ONCE = 4;

/**
 * Replaces the URLs of images with data URLs.
 * @throws {GatewayError} 400 for an image that cannot be read
 */
export async function withFetchedImages(
  body: EmbeddingsRequest,
  signal: AbortSignal | undefined,
): Promise<EmbeddingsRequest> {
  const inputs = inputsOf(body);
  if (!inputs.some(isContent)) return body;
  const inTurn = limitConcurrency(MAX_FETCHES_AT_ONCE);
  const fetched = (inputs as EmbeddedContent[]).map(async ({ content }, index) => {
    const parts = content.map(async (part, at) => {
      if (part.type === 'text') return part;
      const field = `input.${index}.content.${at}.image_url.url`;
      return { ...part, image_url: { url: await inTurn(() => pictureAsUrl(part.image_url.url, field, signal)) } };
    });
    return { content: await Promise.all(parts) };
  });
  return { ...body, input: await Promise.all(fetched) };
}

/** Returns the texts of a request with the names of their fields. */
export function textsOfRequest(body: EmbeddingsRequest): NamedText[] {
  if (typeof body.input === 'string') return [{ field: 'input', text: body.input }];
  return inputsOf(body).flatMap(textsOfInput);
}

function textsOfInput(input: EmbeddingInput, index: number): NamedText[] {
  if (typeof input === 'string') return [{ field: `input.${index}`, text: input }];
  if (!isContent(input)) return [];
  return input.content.flatMap((part, at) =>
    part.type === 'text' ? [{ field: `input.${index}.content.${at}.text`, text: part.text }] : [],
  );
}

/** Returns the input with its texts replaced. */
export function inputWithTexts(input: EmbeddingInput, next: Iterator<string, unknown>): EmbeddingInput {
  const text = () => next.next().value as string;
  if (typeof input === 'string') return text();
  if (!isContent(input)) return input;
  return { content: input.content.map((part) => (part.type === 'text' ? { ...part, text: text() } : part)) };
}
