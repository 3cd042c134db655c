/** Ways to send a credential to a provider, implemented in `providers/authorization`. */
export const authSchemes = [
  /** Header `Authorization: Bearer …`. */
  'bearer',
  /** Header `Authorization: Api-Key …`, for Yandex. */
  'api-key-authorization',
  'x-api-key',
  /** Header `api-key: …`, for Azure. */
  'api-key',
  'x-goog-api-key',
  /** Header `xi-api-key: …`, for ElevenLabs. */
  'xi-api-key',
  /** Header `x-key: …`, for Black Forest Labs. */
  'x-key',
  /** Header `Authorization: Token …`, for Deepgram. */
  'token-authorization',
  /** AWS signature, with an access key or with the credentials of the IAM role of the function or server. */
  'aws-sigv4',
  /** Google access token, issued in exchange for the key of a service account. */
  'google-service-account',
  /** Access token that GigaChat or SaluteSpeech issues at the provider's `token_url`, valid for half an hour. */
  'gigachat-oauth',
] as const;
export type AuthScheme = (typeof authSchemes)[number];
