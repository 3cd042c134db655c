/** How a provider may want to be told whose request it is; `providers/authorization` does each. */
export const authSchemes = [
  /** `Authorization: Bearer …` */
  'bearer',
  /** `Authorization: Api-Key …`: Yandex. */
  'api-key-authorization',
  'x-api-key',
  /** `api-key: …`: Azure. */
  'api-key',
  'x-goog-api-key',
  /** A signature of AWS: an access key, or the function's own role. */
  'aws-sigv4',
  /** A token of Google's, got with the key of a service account. */
  'google-service-account',
  /** A token for half an hour, exchanged at the provider's `token_url`: GigaChat. */
  'gigachat-oauth',
] as const;
export type AuthScheme = (typeof authSchemes)[number];
