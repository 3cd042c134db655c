/**
 * Embeddings without a model: each word has a direction, and the vector of a text is the normalized sum of its words'
 * directions. Texts that share words have similar vectors.
 */

import { createHash } from 'node:crypto';
import { readDirectives } from '../directives.ts';
import { openaiRefusal } from '../openai-refusal.ts';
import { requestedFailure, type SandboxAnswer } from '../whole-answers.ts';

interface EmbeddingsRequest {
  model: string;
  input: (string | number[])[];
  encoding_format?: 'float' | 'base64';
  dimensions?: number;
}

const DIMENSIONS = 64;
/** Limits of a request. Like real models, the sandbox rejects requests for more. */
const MAX_SANDBOX_DIMENSIONS = 4_096;
const MAX_SANDBOX_INPUTS = 2_048;
/** Context length of the model in the catalog. */
const MAX_INPUT_TOKENS = 8_192;
const CHARACTERS_PER_TOKEN = 4;
/** Maximum number of cached word directions per request. */
const MAX_KEPT_DIRECTIONS = 50_000;

export const wholeAnswers = { '/openai/v1/embeddings': embedTexts, '/openai/v1/multimodalembeddings': embedContent };

function embedTexts({ model, input, encoding_format, dimensions = DIMENSIONS }: EmbeddingsRequest): SandboxAnswer {
  const first = typeof input[0] === 'string' ? input[0] : '';
  const directives = readDirectives(first);
  const { error, usage, nullAt, garbageAt } = directives;
  if (error !== undefined) return requestedFailure(error);
  const objection = objectionTo(input, dimensions);
  if (objection !== undefined) return { status: 400, body: openaiRefusal(400, objection) };
  const directions = new Map<string, Buffer>();
  const vectors = input.map((one) => vectorOf(countedWords(embeddingWords(one)), dimensions, directions));
  const tokens = input.reduce((sum, one) => sum + embeddingTokens(one), 0);
  const data = vectors.map((numbers, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? base64(numbers) : numbers,
  }));
  if (nullAt !== undefined) data[0]!.embedding = null as never;
  return {
    status: 200,
    delivery: directives,
    body: {
      object: 'list',
      model,
      data: garbageAt === undefined ? data : data.slice(1),
      ...(usage === 'none' ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    },
  };
}

interface MultimodalRequest {
  model: string;
  inputs: { content: ({ type: 'text'; text: string } | { type: 'image_base64'; image_base64: string })[] }[];
  output_dimension?: number;
}

/** Embeds texts and images in the format of Voyage's API, in which each image counts as a word. */
function embedContent({ model, inputs, output_dimension: dimensions = DIMENSIONS }: MultimodalRequest): SandboxAnswer {
  const parts = inputs.flatMap(({ content }) => content);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const directives = readDirectives(texts[0] ?? '');
  const { error, usage } = directives;
  if (error !== undefined) return requestedFailure(error);
  const images = parts.flatMap((part) => (part.type === 'image_base64' ? [part.image_base64] : []));
  if (!images.every((url) => PNG_URL.test(url))) {
    return { status: 400, body: openaiRefusal(400, "'image_base64' must be a data URL with a PNG.") };
  }
  const directions = new Map<string, Buffer>();
  const data = inputs.map(({ content }, index) => {
    const words = content.flatMap((part) => (part.type === 'text' ? embeddingWords(part.text) : [part.image_base64]));
    const embedding = base64(vectorOf(countedWords(words), dimensions, directions));
    return { object: 'embedding', index, embedding };
  });
  const text_tokens = texts.reduce((sum, text) => sum + embeddingTokens(text), 0);
  const image_pixels = images.reduce((sum, url) => sum + billedPixels(url), 0);
  const counted = { text_tokens, image_pixels, total_tokens: text_tokens + Math.ceil(image_pixels / PIXELS_PER_TOKEN) };
  const body = { object: 'list', model, data, ...(usage === 'none' ? {} : { usage: counted }) };
  return { status: 200, body, delivery: directives };
}

const PNG_URL = /^data:image\/png;base64,/;
const PIXELS_PER_TOKEN = 560;
const MIN_BILLED_PIXELS = 50_000;
const MAX_BILLED_PIXELS = 2_000_000;

/** Returns the number of pixels in a PNG's header, limited to the range for which Voyage charges. */
function billedPixels(url: string): number {
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const pixels = bytes.length < 24 ? 0 : bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
  return Math.min(Math.max(pixels, MIN_BILLED_PIXELS), MAX_BILLED_PIXELS);
}

function embeddingWords(input: string | number[]): string[] {
  return typeof input === 'string' ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) : input.map(String);
}

function embeddingTokens(input: string | number[]): number {
  return typeof input === 'string' ? Math.ceil(input.length / CHARACTERS_PER_TOKEN) : input.length;
}

/** Returns the error message if the request exceeds the limit of dimensions, of inputs, or of tokens in an input. */
function objectionTo(input: EmbeddingsRequest['input'], dimensions: number): string | undefined {
  if (dimensions > MAX_SANDBOX_DIMENSIONS) {
    return `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${MAX_SANDBOX_DIMENSIONS}.`;
  }
  if (input.length > MAX_SANDBOX_INPUTS) return `'input' must have at most ${MAX_SANDBOX_INPUTS} elements.`;
  const longest = input.reduce((most, one) => Math.max(most, embeddingTokens(one)), 0);
  if (longest <= MAX_INPUT_TOKENS) return undefined;
  return `This model's maximum context length is ${MAX_INPUT_TOKENS} tokens, however you requested ${longest} tokens. Please reduce your prompt.`;
}

function countedWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function vectorOf(words: Map<string, number>, dimensions: number, directions: Map<string, Buffer>): number[] {
  const sum = new Float64Array(dimensions);
  for (const [word, count] of words) {
    const direction = directionOf(word, dimensions, directions);
    for (let index = 0; index < dimensions; index += 1) sum[index]! += count * (direction[index]! - 127.5);
  }
  const length = Math.sqrt(sum.reduce((squares, number) => squares + number * number, 0)) || 1;
  return Array.from(sum, (number) => Math.fround(number / length));
}

/** Returns the direction of a word, which is computed from the word's hash. */
function directionOf(word: string, dimensions: number, directions: Map<string, Buffer>): Buffer {
  const known = directions.get(word);
  if (known) return known;
  const direction = createHash('shake256', { outputLength: dimensions }).update(word).digest();
  if (directions.size < MAX_KEPT_DIRECTIONS) directions.set(word, direction);
  return direction;
}

function base64(numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
}
