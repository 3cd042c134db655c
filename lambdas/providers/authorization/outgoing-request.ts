/** A request as it leaves. */
export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** What the catalog says of a provider beside its credential. */
export interface AuthSettings {
  /** Where tokens are exchanged for the credential. */
  tokenUrl?: string | undefined;
  /** PEM of certificates that vouch for the provider, besides those that everybody trusts. */
  ca?: string | undefined;
}

/**
 * The headers that authorize one request. Called when its body is final, before every try to send it.
 * @param credential as the operator set it
 * @throws an error of any kind: it counts as the provider's failure, and must not contain the credential
 */
export type Authorize = (
  credential: string,
  request: OutgoingRequest,
  settings: AuthSettings,
) => Record<string, string> | Promise<Record<string, string>>;

/** Forgets what made these headers, because the provider refused them: the next try is authorized anew. */
export type Forget = (credential: string, headers: Readonly<Record<string, string>>, settings: AuthSettings) => void;
