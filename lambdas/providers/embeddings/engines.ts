import type { Wire, WireOf } from '../../catalog/wires.ts';
import { bedrockCohereEmbeddings, bedrockTitanEmbeddings } from './bedrock.ts';
import { cohereEmbeddings } from './cohere.ts';
import type { EmbeddingEngine } from './engine.ts';
import { googleEmbeddings } from './google.ts';
import { openaiEmbeddings } from './openai.ts';

const engines: { [Name in WireOf<'embeddings'>]: EmbeddingEngine } = {
  'openai-embeddings': openaiEmbeddings,
  'google-embeddings': googleEmbeddings,
  'cohere-embeddings': cohereEmbeddings,
  'bedrock-titan-embeddings': bedrockTitanEmbeddings,
  'bedrock-cohere-embeddings': bedrockCohereEmbeddings,
};

/** How a wire embeds; undefined for wires of other kinds of models. */
export function embeddingEngine(wire: Wire): EmbeddingEngine | undefined {
  return Object.hasOwn(engines, wire) ? engines[wire as WireOf<'embeddings'>] : undefined;
}
