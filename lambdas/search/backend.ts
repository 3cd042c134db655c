export interface SearchQuery {
  text: string;
  maxResults: number;
  /** Domains to which pages must belong; empty allows all. */
  allowedDomains: readonly string[];
  blockedDomains: readonly string[];
  location?: UserLocation | undefined;
}

export interface UserLocation {
  city?: string | null | undefined;
  region?: string | null | undefined;
  /** Country code of ISO 3166-1 alpha-2. */
  country?: string | null | undefined;
  /** Name of the time zone in the IANA database. */
  timezone?: string | null | undefined;
}

export interface SearchHit {
  title: string;
  url: string;
  /** Plain text of the page, or a part of it, of limited length, possibly empty. */
  text: string;
  /** Age as the backend states it: "6 days ago", or a date. */
  age: string | null;
}

export type SearchErrorCode =
  | 'too_many_requests'
  | 'invalid_tool_input'
  | 'query_too_long'
  | 'request_too_large'
  | 'unavailable';

export type SearchOutcome = { hits: SearchHit[] } | { error: SearchErrorCode };

/** `search` never throws: failures are outcomes. */
export interface OpenBackend {
  id: string;
  search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchOutcome>;
}
