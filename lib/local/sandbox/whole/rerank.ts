/** Ranks documents. The score of a document is the share of the query's words that occur in it. */

import { parseDirectiveLine, readDirectives, withoutDirectives } from '../directives.ts';
import { openaiRefusal } from '../openai-refusal.ts';
import { requestedFailure, type SandboxAnswer } from '../whole-answers.ts';

interface ServerRequest {
  model: string;
  query: string;
  documents: string[];
  top_n?: number;
  max_tokens_per_doc?: number;
}

interface BedrockRequest {
  queries: { textQuery: { text: string } }[];
  sources: { inlineDocumentSource: { textDocument: { text: string } } }[];
  rerankingConfiguration: { bedrockRerankingConfiguration: { numberOfResults?: number } };
}

interface Ranked {
  index: number;
  score: number;
}

const CHARACTERS_PER_TOKEN = 4;
const DOCUMENTS_PER_UNIT = 100;
const MAX_DOCUMENTS = 1_000;
const ABSURD_UNITS = 1_000_000_000;

export const wholeAnswers = { '/openai/v1/rerank': rankOverHttp, '/bedrock/rerank': rankOnBedrock };

/** Returns a ranking in Cohere's format for the model that is priced by search units, otherwise in Jina's format. */
function rankOverHttp(request: ServerRequest): SandboxAnswer {
  const { model, query, documents, top_n: topN = documents.length } = request;
  const usage = parseDirectiveLine(query).valueOf('usage');
  const isAbsurd = usage === 'absurd';
  return answered({ query, documents, topN }, (ranked) => {
    const results = ranked.map(({ index, score }) => ({ index, relevance_score: score }));
    if (model === 'unit-ranker') {
      const search_units = isAbsurd ? ABSURD_UNITS : Math.ceil(documents.length / DOCUMENTS_PER_UNIT);
      return { id: 'rank', results, meta: usage === 'none' ? {} : { billed_units: { search_units } } };
    }
    const total_tokens = isAbsurd ? ABSURD_UNITS : rankTokens(query, documents);
    return { model, object: 'list', results, ...(usage === 'none' ? {} : { usage: { total_tokens } }) };
  });
}

function rankOnBedrock({ queries, sources, rerankingConfiguration }: BedrockRequest): SandboxAnswer {
  const query = queries[0]!.textQuery.text;
  const documents = sources.map(({ inlineDocumentSource }) => inlineDocumentSource.textDocument.text);
  const { numberOfResults: topN = documents.length } = rerankingConfiguration.bedrockRerankingConfiguration;
  return answered({ query, documents, topN }, (ranked) => ({
    results: ranked.map(({ index, score }) => ({ index, relevanceScore: score })),
  }));
}

interface RankRequest {
  query: string;
  documents: string[];
  topN: number;
}

/** Returns the ranking, or the failure that a directive in the query requests. */
function answered({ query, documents, topN }: RankRequest, bodyOf: (ranked: Ranked[]) => object): SandboxAnswer {
  const directives = readDirectives(query);
  if (directives.error !== undefined) return requestedFailure(directives.error);
  if (documents.length > MAX_DOCUMENTS) {
    return { status: 400, body: openaiRefusal(400, `'documents' must have at most ${MAX_DOCUMENTS} elements.`) };
  }
  const ranked = rankOf(withoutDirectives(query), documents).slice(0, topN);
  if (directives.nullAt !== undefined) ranked[0]!.score = null as never;
  if (directives.garbageAt !== undefined) ranked[0]!.index = documents.length;
  return { status: 200, body: bodyOf(ranked), delivery: directives };
}

function rankOf(query: string, documents: readonly string[]): Ranked[] {
  const wanted = wordsOf(query);
  const scored = documents.map((text, index) => {
    const has = wordsOf(text);
    return { index, score: [...wanted].filter((word) => has.has(word)).length / Math.max(1, wanted.size) };
  });
  return scored.toSorted((a, b) => b.score - a.score);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Returns the tokens of a request. Like some rerankers, the sandbox counts the query once per document. */
function rankTokens(query: string, documents: readonly string[]): number {
  return documents.reduce((sum, text) => sum + textTokens(text), textTokens(query) * documents.length);
}

function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
