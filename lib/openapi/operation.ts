import type { z } from 'zod';
import type { ErrorKind } from '../../lambdas/platform/errors.ts';

/** What a person reads about a route, beyond what the manifest and the request's schemas say already. */
export interface Operation {
  tag: string;
  summary: string;
  description?: string;
  request?: {
    params?: z.ZodObject;
    query?: z.ZodObject;
    body?: z.ZodType;
  };
  bodyExample?: unknown;
  success: Success;
  /** Kinds of errors, besides those that the manifest implies. */
  errors?: readonly ErrorKind[];
  /** Header parameters that the route honours. */
  headers?: readonly ('If-Match' | 'Idempotency-Key')[];
  /** Answers carry an ETag. */
  etag?: boolean;
}

export interface Success {
  status: 200 | 201;
  description: string;
  /** JSON, unless `content` says otherwise. */
  schema: z.ZodType;
  example?: unknown;
  /** Other kinds of content that the same status may have. */
  content?: Record<string, { schema: object }>;
}

export function ok(description: string, schema: z.ZodType, example?: unknown): Success {
  return { status: 200, description, schema, ...(example === undefined ? {} : { example }) };
}

export function created(description: string, schema: z.ZodType, example: unknown): Success {
  return { status: 201, description, schema, example };
}
