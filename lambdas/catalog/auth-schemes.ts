/** Ways to send a credential to a provider; `providers/authorization` implements each. */
export const authSchemes = [
  /** `Authorization: Bearer …` */
  'bearer',
  /** `Authorization: Api-Key …`: Yandex. */
  'api-key-authorization',
  'x-api-key',
  /** `api-key: …`: Azure. */
  'api-key',
  'x-goog-api-key',
  /** An AWS signature, with an access key or the function's own role. */
  'aws-sigv4',
  /** A Google access token, issued for the key of a service account. */
  'google-service-account',
  /** An access token for half an hour, issued at the provider's `token_url`: GigaChat. */
  'gigachat-oauth',
] as const;
export type AuthScheme = (typeof authSchemes)[number];
