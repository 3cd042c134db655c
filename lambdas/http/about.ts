import * as z from 'zod';
import type { ErrorKind } from '../platform/errors.ts';

/** Documentation of a route, in addition to the facts in the manifest and in its `accepts`. */
export interface About {
  tag: string;
  summary: string;
  description?: string;
  bodyExample?: unknown;
  /** Further example bodies, by the feature that they show. */
  moreExamples?: Record<string, unknown>;
  /** Headers of the route, in addition to those of every route and of the fields below. */
  headers?: Record<string, z.ZodType>;
  success: Success;
  /** Kinds of errors, in addition to those that follow from the manifest, from `accepts` and from the fields below. */
  errors?: readonly ErrorKind[];
  /** Requests with the same `Idempotency-Key` are charged once. */
  chargedOnce?: boolean;
  /** Supports `If-Match`. */
  ifMatch?: boolean;
  /** Responses have an ETag. */
  etag?: boolean;
}

export interface Success {
  status: 200 | 201 | 202 | 302;
  description: string;
  /** Headers of this response, each with its description. */
  headers?: Record<string, string>;
  /** JSON, unless `content` states another type. */
  schema: z.ZodType;
  example?: unknown;
  /**
   * A slow answer in one piece begins before its result is known, so a response with this status may have an error as
   * its body.
   */
  maybeLate?: boolean;
  /** Other content types of the same status. */
  content?: Record<string, { schema: object; example?: string; 'x-events'?: Record<string, string> }>;
}

/** Routes in one group of the documentation. */
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

/** A redirect with an empty body. */
export function redirectTo(description: string): Success {
  return { status: 302, description, schema: z.literal('') };
}

/** Values for examples. The ids belong to no account. */
export const exampleIds = {
  workspace: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
  account: '01a1faa2-7c1d-7aa0-9c11-55aa00bb11cc',
};
export const exampleTime = '2026-11-20T20:24:49.145Z';

/** Kinds of errors of every route that sends requests to providers. */
export const providerErrors = ['not_found', 'provider_unavailable', 'timeout', 'provider_overloaded'] as const;
