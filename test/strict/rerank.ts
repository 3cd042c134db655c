/** Strict fakes of rerank providers, from their API references. */

import * as z from 'zod';
import { strictFake, type Rule, type StrictFake } from './rules.ts';

const text = z.string().min(1);
const texts = z.array(text).min(1).max(1_000);

interface Ranked {
  topN: number | undefined;
  documents: readonly string[];
}

function tooMany(source: string): Rule<Ranked> {
  return {
    source,
    refuses: ({ read: { topN = 1, documents } }) => topN > documents.length && 'more results than documents',
  };
}

const cohere = 'https://docs.cohere.com/reference/rerank';
const cohereBody = z
  .strictObject({
    model: text,
    query: text,
    documents: texts,
    top_n: z.int().min(1).optional(),
    max_tokens_per_doc: z.int().min(1).optional(),
    priority: z.int().optional(),
  })
  .transform(({ top_n, documents }): Ranked => ({ topN: top_n, documents }));

const jina = 'https://api.jina.ai/redoc';
const jinaBody = z
  .strictObject({
    model: text,
    query: text,
    documents: texts,
    top_n: z.int().min(1).optional(),
    return_documents: z.boolean().optional(),
  })
  .transform(({ top_n, documents }): Ranked => ({ topN: top_n, documents }));

const voyage = 'https://docs.voyageai.com/reference/reranker-api';
const voyageBody = z
  .strictObject({
    model: text,
    query: text,
    documents: texts,
    top_k: z.int().min(1).optional(),
    return_documents: z.boolean().optional(),
    truncation: z.boolean().optional(),
  })
  .transform(({ top_k, documents }): Ranked => ({ topN: top_k, documents }));

const tei = 'https://huggingface.github.io/text-embeddings-inference/';
const teiBody = z
  .strictObject({
    query: text,
    texts: z.array(text).min(1).max(32),
    raw_scores: z.boolean().optional(),
    return_text: z.boolean().optional(),
    truncate: z.boolean().optional(),
    truncation_direction: z.enum(['left', 'right', 'Left', 'Right']).optional(),
  })
  .transform(({ texts: documents }): Ranked => ({ topN: undefined, documents }));

const bedrock = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html';
const bedrockText = z.strictObject({ text: z.string().min(1).max(32_000) });
const bedrockBody = z
  .strictObject({
    queries: z.array(z.strictObject({ type: z.literal('TEXT'), textQuery: bedrockText })).length(1),
    sources: z
      .array(
        z.strictObject({
          type: z.literal('INLINE'),
          inlineDocumentSource: z.strictObject({ type: z.literal('TEXT'), textDocument: bedrockText }),
        }),
      )
      .min(1)
      .max(1_000),
    rerankingConfiguration: z.strictObject({
      type: z.literal('BEDROCK_RERANKING_MODEL'),
      bedrockRerankingConfiguration: z.strictObject({
        modelConfiguration: z.strictObject({
          modelArn: z
            .string()
            .regex(/^arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}::foundation-model\/[a-z0-9-]+\.[a-z0-9.:-]+$/),
        }),
        numberOfResults: z.int().min(1).max(1_000).optional(),
      }),
    }),
  })
  .transform(({ sources, rerankingConfiguration: { bedrockRerankingConfiguration } }): Ranked => ({
    topN: bedrockRerankingConfiguration.numberOfResults,
    documents: sources.map(({ inlineDocumentSource }) => inlineDocumentSource.textDocument.text),
  }));

export const rerankRules: readonly Rule<Ranked>[] = [cohere, jina, voyage, tei, bedrock].map(tooMany);

export const rerankFakes: Record<string, StrictFake> = {
  'cohere-v2': strictFake(cohereBody, [tooMany(cohere)]),
  jina: strictFake(jinaBody, [tooMany(jina)]),
  vllm: strictFake(jinaBody, [tooMany('https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html')]),
  voyage: strictFake(voyageBody, [tooMany(voyage)]),
  tei: strictFake(teiBody, [tooMany(tei)]),
  'amazon-bedrock-agents': strictFake(bedrockBody, [tooMany(bedrock)]),
};
