/** What every client of the Messages API is asked to do, over every wire. */

import type { RunningGateway } from '../../support/gateway.ts';

export const features = [
  'text',
  'stream',
  'tool loop',
  'thinking in a tool loop',
  'image',
  'document',
  'structured output',
  'error',
] as const;
export type Feature = (typeof features)[number];

/** Where the gateway is, and the model that is asked. */
export interface Subject {
  gateway: RunningGateway;
  model: string;
}

/** Each use throws when the client does not get what it should. */
export interface Client {
  name: string;
  uses: Record<Feature, (subject: Subject) => Promise<void>>;
}

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const pdf = 'JVBERi0=';
/** What the sandbox counts for a document. */
export const PDF_TOKENS = 1_500;
export const THINKING_BUDGET = 1_024;
export const MAX_TOKENS = 2_000;

export const weatherSchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
};
/** Of a tool without arguments. */
export const clockSchema = { type: 'object' as const, properties: {} };
/** A structured answer, and the one that the sandbox gives. */
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
