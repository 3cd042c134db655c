/** Ways to send a provider's credential, implemented in `providers/authorization`. */
export const authSchemes = [
  /** `Authorization: Bearer …` */
  'bearer',
  /** `Authorization: Api-Key …`, for Yandex */
  'api-key-authorization',
  'x-api-key',
  /** `api-key: …`, for Azure */
  'api-key',
  'x-goog-api-key',
  /** `xi-api-key: …`, for ElevenLabs */
  'xi-api-key',
  /** `x-key: …`, for Black Forest Labs */
  'x-key',
  /** `Authorization: Token …`, for Deepgram */
  'token-authorization',
  /** AWS signature, with an access key or the credentials of the gateway's own IAM role */
  'aws-sigv4',
  /** Google access token, issued in exchange for the key of a service account */
  'google-service-account',
  /** Access token that GigaChat or SaluteSpeech issues at the provider's `token_url`, valid for half an hour */
  'gigachat-oauth',
] as const;
export type AuthScheme = (typeof authSchemes)[number];
