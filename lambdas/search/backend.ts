/** A web search, independent of the backend. */

export interface SearchQuery {
  text: string;
  maxResults: number;
  /** Allowed domains of pages; an empty list allows all. */
  allowedDomains: readonly string[];
  /** Blocked domains of pages. */
  blockedDomains: readonly string[];
  /** Approximate location of the user. */
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
  /** The known part of the page's text: plain, limited in length, possibly empty. */
  text: string;
  /** In the backend's own form: "6 days ago", or a date. */
  age: string | null;
}

export type SearchErrorCode =
  | 'too_many_requests'
  | 'invalid_tool_input'
  | 'query_too_long'
  | 'request_too_large'
  | 'unavailable';

export type SearchOutcome = { hits: SearchHit[] } | { error: SearchErrorCode };

/** A backend with its credential. It never throws: a failure is an outcome. */
export interface OpenBackend {
  id: string;
  search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchOutcome>;
}
