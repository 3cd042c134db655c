/** Calculates search units in advance. One unit is one query with up to 100 documents. */

import type { PieceCount } from '../batch-engine.ts';
import type { RerankTask } from './codec.ts';

const DOCUMENTS_PER_UNIT = 100;
/** Usual size of a token, in bytes of text. */
export const USUAL_BYTES_PER_TOKEN = 4;

interface Chunks {
  tokensPerChunk: number;
  maxTokensPerDoc: number;
}

/**
 * Returns the search units of a task, in which each chunk of a document counts as a document. The maximum assumes one
 * byte per token, the estimate four. A query takes at most half of each chunk.
 */
export function searchUnitsOf(task: RerankTask, chunks: Chunks): PieceCount {
  return { max: unitsCounted(1, task, chunks), estimated: unitsCounted(USUAL_BYTES_PER_TOKEN, task, chunks) };
}

function unitsCounted(bytesPerToken: number, { query, documents }: RerankTask, chunks: Chunks): number {
  const { tokensPerChunk, maxTokensPerDoc } = chunks;
  const tokensOf = (text: string) => Math.ceil(Buffer.byteLength(text) / bytesPerToken);
  const room = tokensPerChunk - Math.min(tokensOf(query), Math.floor(tokensPerChunk / 2));
  const counted = documents.map((text) => Math.max(1, Math.ceil(Math.min(tokensOf(text), maxTokensPerDoc) / room)));
  return Math.ceil(counted.reduce((sum, count) => sum + count, 0) / DOCUMENTS_PER_UNIT);
}
