/** Removes secrets from a provider's message: the credential, the provider's host, and internal addresses. */

const MAX_REDACTED_CHARACTERS = 2_000;
/** Minimum length of a secret. A shorter credential is not hidden, because this would also hide ordinary words. */
const MIN_SECRET_CHARACTERS = 8;
const HIDDEN = '[hidden]';
/**
 * Matches an access key of AWS: `<id>:<secret>[:<session token>]`. A provider may quote a single part, so each part is
 * hidden too.
 */
const ACCESS_KEY_ID = /^[^:\s]+(?::[^:\s]+){1,2}$/;

/** Matches quoted authorization values, which may be temporary tokens that the credential does not contain. */
const AUTHORIZATION_WORDS = /\b(Bearer|Basic|Api-Key) +[\w.~+/=-]{16,}/gi;

/** Matches addresses that are valid only inside a network, and the rest of their URL. */
const INTERNAL_ADDRESS = new RegExp(
  String.raw`(?:\b[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s"'<>@\/]*@)?` +
    String.raw`(?:\b(?:127|10|0)(?:\.\d{1,3}){3}|\b(?:192\.168|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}` +
    String.raw`|\[(?:::1|f[cd][0-9a-f:]*|fe80:[0-9a-f:]*)\]|\blocalhost\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:internal|local|localdomain|svc)\b)` +
    String.raw`(?::\d{1,5})?(?:\/[^\s"'<>]*)?`,
  'gi',
);

export interface Secrets {
  credential: string | undefined;
  baseUrl: string;
}

export function redact(message: string, { credential, baseUrl }: Secrets): string {
  let text = message;
  // Secrets are removed before the text is shortened, because a secret that was cut off would not be found.
  for (const secret of secretsIn(credential ?? '')) text = text.replaceAll(secret, HIDDEN);
  text = text.replace(AUTHORIZATION_WORDS, `$1 ${HIDDEN}`);
  const { origin, host } = new URL(baseUrl);
  text = text.replaceAll(origin, HIDDEN).replaceAll(host, HIDDEN);
  text = text.slice(0, MAX_REDACTED_CHARACTERS * 2).replace(INTERNAL_ADDRESS, HIDDEN);
  return text.length > MAX_REDACTED_CHARACTERS ? `${text.slice(0, MAX_REDACTED_CHARACTERS)}…` : text;
}

/**
 * Returns the credential, and the parts of an access key. The complete credential comes first: it would not be found
 * after one of its parts was hidden.
 */
function secretsIn(credential: string): string[] {
  const parts = ACCESS_KEY_ID.test(credential) ? credential.split(':') : [];
  return [credential, ...parts].filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
}
