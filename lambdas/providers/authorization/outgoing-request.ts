/** A request to a provider, complete except for its authorization. */
export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export interface AuthSettings {
  /** URL that issues tokens for the credential. */
  tokenUrl?: string | undefined;
  /** PEM certificates that are trusted for the provider, in addition to the default ones. */
  ca?: string | undefined;
}

/**
 * Returns the headers that authorize one request.
 * @throws any error; it counts as the provider's failure, and must not contain the credential
 */
export type Authorize = (
  credential: string,
  request: OutgoingRequest,
  settings: AuthSettings,
) => Record<string, string> | Promise<Record<string, string>>;

/** Drops the cached token that the headers contain, after the provider rejected it. The retry then gets a new token. */
export type Forget = (credential: string, headers: Readonly<Record<string, string>>, settings: AuthSettings) => void;
