import type { WireOf } from '../../catalog/wires.ts';
import type { Vector } from '../../embeddings/vector.ts';
import type { BatchEngine } from '../batch-engine.ts';
import { bedrockCohereEmbeddings, bedrockTitanEmbeddings } from './bedrock.ts';
import type { EmbeddingTask } from './codec.ts';
import { cohereEmbeddings } from './cohere.ts';
import { embedder } from './embed.ts';
import { googleEmbeddings } from './google.ts';
import { openaiEmbeddings } from './openai.ts';
import { voyageMultimodal } from './voyage.ts';

export const embeddingEngines: Record<WireOf<'embeddings'>, BatchEngine<EmbeddingTask, Vector[]>> = {
  'openai-embeddings': embedder(openaiEmbeddings),
  'google-embeddings': embedder(googleEmbeddings),
  'cohere-embeddings': embedder(cohereEmbeddings),
  'bedrock-titan-embeddings': embedder(bedrockTitanEmbeddings),
  'bedrock-cohere-embeddings': embedder(bedrockCohereEmbeddings),
  'voyage-multimodal': embedder(voyageMultimodal),
};
