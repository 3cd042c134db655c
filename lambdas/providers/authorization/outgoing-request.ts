/** A request as it leaves. */
export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/**
 * The headers that authorize one request. Called when its body is final, before every try to send it.
 * @param credential as the operator set it
 * @throws an error of any kind: it counts as the provider's failure, and must not contain the credential
 */
export type Authorize = (
  credential: string,
  request: OutgoingRequest,
) => Record<string, string> | Promise<Record<string, string>>;
