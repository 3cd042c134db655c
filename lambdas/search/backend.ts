/** A web search, whoever answers it. */

export interface SearchQuery {
  text: string;
  maxResults: number;
  /** Where a page may be; empty: anywhere. */
  allowedDomains: readonly string[];
  /** Where it may not be. */
  blockedDomains: readonly string[];
  /** Roughly where the searching person is. */
  location?: UserLocation | undefined;
}

export interface UserLocation {
  city?: string | null | undefined;
  region?: string | null | undefined;
  /** ISO 3166-1 alpha-2. */
  country?: string | null | undefined;
  /** A name of the IANA database. */
  timezone?: string | null | undefined;
}

export interface SearchHit {
  title: string;
  url: string;
  /** What is known of the page's text: plain, bounded, possibly empty. */
  text: string;
  /** As the backend says it: "6 days ago", or a date. */
  age: string | null;
}

export type SearchErrorCode =
  | 'too_many_requests'
  | 'invalid_tool_input'
  | 'query_too_long'
  | 'request_too_large'
  | 'unavailable';

export type SearchOutcome = { hits: SearchHit[] } | { error: SearchErrorCode };

/** A backend that has all it needs. It never throws: what goes wrong there is an outcome. */
export interface OpenBackend {
  id: string;
  search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchOutcome>;
}
