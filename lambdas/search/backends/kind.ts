import * as z from 'zod';
import type { SearchHit, SearchOutcome, SearchQuery } from '../backend.ts';
import type { BackendRequest } from '../backend-http.ts';

/** The operator's settings for a backend. */
interface BackendAccess {
  credential: string | undefined;
  folder: string | undefined;
}

/** The protocol of one search API. */
export interface BackendKind {
  /** Longer queries are refused before anything is sent. */
  maxWords: number;
  request: (query: SearchQuery, access: BackendAccess) => BackendRequest;
  /** Parses the body of a response with status 200. An invalid body is `unavailable`; never throws. */
  read: (body: string) => SearchOutcome;
}

/** An optional text. Any other type is invalid. */
export const hitText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** A value that is not a text becomes null, because no code depends on the age. */
export const hitAge = z.string().nullable().catch(null);

/** Parses a JSON body. @param hitsOf returns the hits of a valid value */
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
