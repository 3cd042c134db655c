import * as z from 'zod';
import type { ErrorKind } from '../platform/errors.ts';

/** What people read about a route, beyond what the manifest and its `accepts` already say. */
export interface About {
  tag: string;
  summary: string;
  description?: string;
  bodyExample?: unknown;
  /** Bodies that show more of what the route takes, by what they show. */
  moreExamples?: Record<string, unknown>;
  /** Headers that it reads, besides those that every route or the fields below stand for. */
  headers?: Record<string, z.ZodType>;
  success: Success;
  /** Kinds of errors, besides those that follow from the manifest, and from what the route accepts and honours. */
  errors?: readonly ErrorKind[];
  /** Requests with one `Idempotency-Key` are charged once. */
  chargedOnce?: boolean;
  /** Honours `If-Match`. */
  ifMatch?: boolean;
  /** Answers carry an ETag. */
  etag?: boolean;
}

export interface Success {
  status: 200 | 201 | 202 | 302;
  description: string;
  /** Headers of its own, each with the sentence that says what it holds. */
  headers?: Record<string, string>;
  /** JSON, unless `content` says otherwise. */
  schema: z.ZodType;
  example?: unknown;
  /** An answer in one piece that takes minutes begins before it is there, so the same status may have the body of an error. */
  maybeLate?: boolean;
  /** Other kinds of content that the same status may have. */
  content?: Record<string, { schema: object; example?: string; 'x-events'?: Record<string, string> }>;
}

/** Routes that the document shows together. */
export function tagged<Name extends string>(
  tag: string,
  routes: Record<Name, Omit<About, 'tag'>>,
): Record<Name, About> {
  const entries = Object.entries<Omit<About, 'tag'>>(routes).map(([name, about]) => [name, { tag, ...about }]);
  return Object.fromEntries(entries) as Record<Name, About>;
}

export function ok(description: string, schema: z.ZodType, example?: unknown): Success {
  return { status: 200, description, schema, ...(example === undefined ? {} : { example }) };
}

export function created(description: string, schema: z.ZodType, example: unknown): Success {
  return { status: 201, description, schema, example };
}

export function accepted(description: string, schema: z.ZodType, example: unknown): Success {
  return { status: 202, description, schema, example };
}

/** Elsewhere: the answer itself is empty. */
export function redirectTo(description: string): Success {
  return { status: 302, description, schema: z.literal('') };
}

/** Values for examples; the ids are nobody's. */
export const exampleIds = {
  workspace: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  account: '01a1faa2-7c1d-7aa0-9c11-55aa00bb11cc',
};
export const exampleTime = '2026-11-20T20:24:49.145Z';

/** Kinds of errors of every route that asks a provider. */
export const providerErrors = ['not_found', 'provider_unavailable', 'timeout', 'provider_overloaded'] as const;
