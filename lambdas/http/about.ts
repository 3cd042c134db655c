import * as z from 'zod';
import type { ErrorKind } from '../platform/errors.ts';

/**
 * Documentation of a route that cannot be derived from the manifest (list of routes) or from `accepts` (valid input).
 */
export interface About {
  tag: string;
  summary: string;
  description?: string;
  bodyExample?: unknown;
  /** Additional examples of request bodies, by the name of the feature that each example shows. */
  moreExamples?: Record<string, unknown>;
  /** Response headers, except the headers of every route and the headers that follow from the fields below. */
  headers?: Record<string, z.ZodType>;
  success: Success;
  /** Kinds of errors that cannot be derived from the manifest, from `accepts` or from the fields below. */
  errors?: readonly ErrorKind[];
  /** Whether requests with the same `Idempotency-Key` are charged once. */
  chargedOnce?: boolean;
  ifMatch?: boolean;
  etag?: boolean;
}

export interface Success {
  status: 200 | 201 | 202 | 302;
  description: string;
  headers?: Record<string, string>;
  /** Schema of the body, which is JSON unless `content` names another type. */
  schema: z.ZodType;
  example?: unknown;
  /**
   * Whether the answer may begin before its result is known, so that even a success status may have an error as its
   * body.
   */
  maybeLate?: boolean;
  /** Additional content types of the response, with the same status. */
  content?: Record<string, { schema: object; example?: string; 'x-events'?: Record<string, string> }>;
}

/** Adds a documentation group (tag) to routes. */
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

/** Documents a redirect with an empty body. */
export function redirectTo(description: string): Success {
  return { status: 302, description, schema: z.literal('') };
}

/** Ids for examples in the documentation. They belong to no account. */
export const exampleIds = {
  workspace: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  account: '01a1faa2-7c1d-7aa0-9c11-55aa00bb11cc',
};
export const exampleTime = '2026-11-20T20:24:49.145Z';

/** Errors of each route that sends requests to providers. */
export const providerErrors = ['not_found', 'provider_unavailable', 'timeout', 'provider_overloaded'] as const;
