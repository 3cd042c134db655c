/** Features that every client uses, through its API and over every wire. */

import assert from 'node:assert/strict';
import type { GatewayClient } from '../../support/gateway.ts';

export const features = [
  'text',
  'stream',
  'tool loop',
  'thinking in a tool loop',
  'image',
  'document',
  'structured output',
  'web search',
  'error',
  'cancel',
] as const;
export type Feature = (typeof features)[number];

/** Gateway and model that a client uses. */
export interface Subject {
  gateway: GatewayClient;
  model: string;
}

/** API that a client uses. */
type Api = 'messages' | 'chat completions' | 'responses';

/**
 * Client program with one function per feature. Each function throws if the client does not get the expected result.
 * Whether an answer was cancelled is checked afterwards, in the generations of the client's key.
 */
export interface Client {
  name: string;
  api: Api;
  uses: Record<Feature, (subject: Subject) => Promise<void>>;
}

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const pdf = 'JVBERi0=';
/** Number of tokens that the sandbox counts for a document. */
export const PDF_TOKENS = 1_500;
export const THINKING_BUDGET = 1_024;
export const MAX_TOKENS = 2_000;
/** Directives for an answer that takes a minute. Tests abort it after the first output. */
export const LONG_ANSWER = 'tokens=500 delay=100';

/** Question for which the model searches, and a next question for which it does not. */
export const searched = { question: 'Cities?', next: 'And now?', nextDirectives: 'search=0' };
export const MAX_SEARCHES = 3;
/** Maximum length of a quotation in the Messages API. */
const MAX_CITED_CHARACTERS = 150;

interface Citation {
  url: string;
  cited_text: string;
}

/**
 * Checks that citations refer to found pages and have quotations of a valid length, and that the model's markers of
 * citations were removed from the text.
 */
export function assertCited(text: string, citations: Citation[], foundUrls: string[]): void {
  assert.ok(citations.length > 0);
  assert.doesNotMatch(text, /\[\d+\]/);
  for (const { url, cited_text: quoted } of citations) {
    assert.ok(foundUrls.includes(url), `${url} was not found`);
    assert.ok(quoted !== '' && Array.from(quoted).length <= MAX_CITED_CHARACTERS, `“${quoted}” is no quote`);
  }
}

export const weatherSchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
};
/** Schema of a tool without arguments. */
export const clockSchema = { type: 'object' as const, properties: {} };
/** Schema of a structured answer. */
export const answerSchema = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' as const },
    degrees: { type: 'integer' as const },
    dry: { type: 'boolean' as const },
  },
  required: ['city', 'degrees', 'dry'],
  additionalProperties: false,
};
export const structuredAnswer = { city: 'Москва', degrees: 42, dry: true };

interface UrlCitation {
  url: string;
  title: string;
  start_index: number;
  end_index: number;
}

/** Checks that each citation has a source, and a position in the text. */
export function assertQuotedPlaces(text: string, citations: UrlCitation[]): void {
  assert.ok(citations.length > 0);
  assert.doesNotMatch(text, /\[\d+\]/);
  for (const { url, title, start_index: start, end_index: end } of citations) {
    assert.match(url, /^https?:/);
    assert.ok(title !== '' && text.slice(start, end) !== '' && end <= text.length, `${url} has no place in the text`);
  }
}

export const tools = {
  get_weather: { description: 'Weather of a city', schema: weatherSchema },
  get_time: { description: 'Time of day', schema: clockSchema },
};
/** Arguments with which the sandbox calls the tools. */
export const toolArguments = [{ city: 'Москва' }, {}];
export const pngUrl = `data:image/png;base64,${pixel}`;
export const pdfUrl = `data:application/pdf;base64,${pdf}`;
