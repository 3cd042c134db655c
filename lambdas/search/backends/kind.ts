import * as z from 'zod';
import type { SearchHit, SearchOutcome, SearchQuery } from '../backend.ts';
import type { BackendRequest } from '../backend-http.ts';

interface BackendAccess {
  credential: string | undefined;
  folder: string | undefined;
}

export interface BackendKind {
  /** Maximum number of words of a query. The gateway does not send a longer query. */
  maxWords: number;
  /** HTTP statuses, besides 401, 402 and 403, with which the backend reports an invalid key or an exhausted account. */
  refusals?: readonly number[];
  /** Whether a status 429 means that the quota of the account is used up, by the headers of the response. */
  isQuotaUsedUp?: (headers: Headers) => boolean;
  request: (query: SearchQuery, access: BackendAccess) => BackendRequest;
  /** Returns the error `unavailable` for an invalid body. Never throws. */
  read: (body: string) => SearchOutcome;
}

/** Text of a hit. null or an absent value becomes an empty text; a value of another type is invalid. */
export const hitText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Age of a hit. A value of another type becomes null, because no code depends on the age. */
export const hitAge = z.string().nullable().catch(null);

/**
 * Reads the hits in a JSON body.
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
