import * as z from 'zod';
import type { SearchHit, SearchOutcome, SearchQuery } from '../backend.ts';
import type { BackendRequest } from '../backend-http.ts';

/** What a backend of a kind is asked with. */
interface BackendAccess {
  credential: string | undefined;
  folder: string | undefined;
}

/** How one search API is spoken. */
export interface BackendKind {
  /** More are refused before anything is sent. */
  maxWords: number;
  request: (query: SearchQuery, access: BackendAccess) => BackendRequest;
  /** Reads the body of an answer with status 200. Nonsense is `unavailable`; never throws. */
  read: (body: string) => SearchOutcome;
}

/** A text that may be left out. Anything but a text is nonsense. */
export const hitText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Whatever is not a text is no age: nobody depends on it. */
export const hitAge = z.string().nullable().catch(null);

/** Reads a body of JSON. @param hitsOf what is found in a value of the right shape */
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
