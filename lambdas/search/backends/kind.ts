import * as z from 'zod';
import type { SearchHit, SearchOutcome, SearchQuery } from '../backend.ts';
import type { BackendRequest } from '../backend-http.ts';

/** The operator's settings for a backend. */
interface BackendAccess {
  credential: string | undefined;
  folder: string | undefined;
}

/** Encodes queries for one search API, and reads its responses. */
export interface BackendKind {
  /** Maximum number of words of a query. The gateway does not send a longer query. */
  maxWords: number;
  request: (query: SearchQuery, access: BackendAccess) => BackendRequest;
  /**
   * Parses the body of a response with status 200. Returns the error `unavailable` for an invalid body. Never throws.
   */
  read: (body: string) => SearchOutcome;
}

/** Schema of an optional text. A value of another type is invalid. */
export const hitText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Schema of a page's age. A value of another type becomes null, because no code depends on the age. */
export const hitAge = z.string().nullable().catch(null);

/**
 * Parses a JSON body.
 * @param hitsOf returns the hits of a valid value
 */
export function readHits<Schema extends z.ZodType>(
  body: string,
  schema: Schema,
  hitsOf: (answer: z.infer<Schema>) => SearchHit[],
): SearchOutcome {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { error: 'unavailable' };
  }
  const answer = schema.safeParse(json);
  return answer.success ? { hits: hitsOf(answer.data) } : { error: 'unavailable' };
}
