/** Features that clients use, through their APIs and over the wires for messages. */

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

export interface Subject {
  gateway: GatewayClient;
  model: string;
}

type Api = 'messages' | 'chat completions' | 'responses';

/**
 * Client program with one function per feature, which throws if the client does not get the expected result. Cancelled
 * answers are checked afterwards, in the generations of the client's key.
 */
export interface Client {
  name: string;
  api: Api;
  uses: Record<Feature, (subject: Subject) => Promise<void>>;
}

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const pdf = 'JVBERi0=';
/** The sandbox counts this number of tokens for a document. */
export const PDF_TOKENS = 1_500;
export const THINKING_BUDGET = 1_024;
export const MAX_TOKENS = 2_000;
/** Directives for an answer that takes 50 seconds. */
export const LONG_ANSWER = 'tokens=500 delay=100';

/** Question for which the model searches, and a next question without a search. */
export const searched = { question: 'Cities?', next: 'And now?', nextDirectives: 'search=0' };
export const MAX_SEARCHES = 3;
/** Maximum length of a quotation in the Messages API. */
const MAX_CITED_CHARACTERS = 150;

interface Citation {
  url: string;
  cited_text: string;
}

/**
 * Checks that citations refer to found pages and have valid quotations, and that the text has no markers of citations.
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
export const clockSchema = { type: 'object' as const, properties: {} };
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
/** The sandbox calls the tools with these arguments. */
export const toolArguments = [{ city: 'Москва' }, {}];
export const pngUrl = `data:image/png;base64,${pixel}`;
export const pdfUrl = `data:application/pdf;base64,${pdf}`;
