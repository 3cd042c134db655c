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
  /** A token for half an hour, exchanged at the provider's `token_url`: GigaChat. */
  'gigachat-oauth',
] as const;
export type AuthScheme = (typeof authSchemes)[number];
