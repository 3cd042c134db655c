/**
 * Embeddings of the sandbox: each word of a text points into a direction of its own, and a vector is the sum of them, of length 1. So
 * texts that share words have vectors near each other, without a model.
 */

import { createHash } from 'node:crypto';
import { readDirectives } from './directives.ts';
import type { SandboxDecision } from './decisions.ts';

interface EmbeddingsRequest {
  model: string;
  input: (string | number[])[];
  encoding_format?: 'float' | 'base64';
  dimensions?: number;
}

const DIMENSIONS = 64;
const CHARACTERS_PER_TOKEN = 4;

export function embedTexts({
  model,
  input,
  encoding_format,
  dimensions = DIMENSIONS,
}: EmbeddingsRequest): SandboxDecision {
  const first = typeof input[0] === 'string' ? input[0] : '';
  const { error, usage, nullAt, garbageAt } = readDirectives(first);
  if (error !== undefined) {
    return { status: error, body: { error: { message: `The sandbox was asked to answer with status ${error}` } } };
  }
  const vectors = input.map((one) => vectorOf(embeddingWords(one), dimensions));
  const tokens = input.reduce((sum, one) => sum + embeddingTokens(one), 0);
  const data = vectors.map((numbers, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? base64(numbers) : numbers,
  }));
  if (nullAt !== undefined) data[0]!.embedding = null as never;
  return {
    status: 200,
    body: {
      object: 'list',
      model,
      data: garbageAt === undefined ? data : data.slice(1),
      ...(usage === 'none' ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    },
  };
}

function embeddingWords(input: string | number[]): string[] {
  return typeof input === 'string' ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) : input.map(String);
}

function embeddingTokens(input: string | number[]): number {
  return typeof input === 'string' ? Math.ceil(input.length / CHARACTERS_PER_TOKEN) : input.length;
}

function vectorOf(words: readonly string[], dimensions: number): number[] {
  const sum = new Float64Array(dimensions);
  for (const word of words) {
    const bytes = createHash('shake256', { outputLength: dimensions }).update(word).digest();
    for (const [index, byte] of bytes.entries()) sum[index]! += byte - 127.5;
  }
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (number) => Math.fround(number / length));
}

function base64(numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
}
