import type { WireOf } from '../../catalog/wires.ts';
import type { BatchEngine } from '../batch-engine.ts';
import { bedrockRerank } from './bedrock.ts';
import type { RankedDocument, RerankTask } from './codec.ts';
import { cohereRerank } from './cohere.ts';
import { ranker } from './ranker.ts';
import { serverRerank } from './servers.ts';

export const rerankEngines: Record<WireOf<'rerank'>, BatchEngine<RerankTask, RankedDocument[]>> = {
  rerank: ranker(serverRerank),
  'cohere-rerank': ranker(cohereRerank),
  'bedrock-rerank': ranker(bedrockRerank),
};
