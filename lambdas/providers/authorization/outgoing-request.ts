/** A request in its final form. */
export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Settings of a provider in the catalog, in addition to its credential. */
export interface AuthSettings {
  /** URL that issues tokens for the credential. */
  tokenUrl?: string | undefined;
  /** PEM certificates that are trusted for the provider, in addition to the default ones. */
  ca?: string | undefined;
}

/**
 * Returns the headers that authorize one request. It is called when the body is final, before every attempt.
 * @param credential as the operator set it
 * @throws any error; it counts as the provider's failure, and must not contain the credential
 */
export type Authorize = (
  credential: string,
  request: OutgoingRequest,
  settings: AuthSettings,
) => Record<string, string> | Promise<Record<string, string>>;

/** Forgets the source of refused headers, so that the retry is authorized anew. */
export type Forget = (credential: string, headers: Readonly<Record<string, string>>, settings: AuthSettings) => void;
