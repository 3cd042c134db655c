/**
 * Removes secrets from a provider's words on their way to a client. Providers quote what they were sent, and proxies in
 * front of them what they know: no client may see the credential or addresses inside the operator's network.
 */

const MAX_REDACTED_CHARACTERS = 2_000;
/** Shorter credentials are not secret, and would hide ordinary words. */
const MIN_SECRET_CHARACTERS = 8;
const HIDDEN = '[hidden]';
/** `<id>:<secret>[:<session token>]` of AWS: what is sent, and quoted, are its parts. */
const ACCESS_KEY_ID = /^[^:\s]+(?::[^:\s]+){1,2}$/;

/** What was sent to authorize a request: often a token that was lent for the credential, and is not it. */
const AUTHORIZATION_WORDS = /\b(Bearer|Basic|Api-Key) +[\w.~+/=-]{16,}/gi;

/** Addresses that mean something only inside a network, with the URL around them. */
const INTERNAL_ADDRESS = new RegExp(
  String.raw`(?:\b[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s"'<>@\/]*@)?` +
    String.raw`(?:\b(?:127|10|0)(?:\.\d{1,3}){3}|\b(?:192\.168|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}` +
    String.raw`|\[(?:::1|f[cd][0-9a-f:]*|fe80:[0-9a-f:]*)\]|\blocalhost\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:internal|local|localdomain|svc)\b)` +
    String.raw`(?::\d{1,5})?(?:\/[^\s"'<>]*)?`,
  'gi',
);

/** What a provider's words must not reveal. */
export interface Secrets {
  credential: string | undefined;
  /** Where the provider is reached. */
  baseUrl: string;
}

export function redact(words: string, { credential, baseUrl }: Secrets): string {
  let text = words;
  // Before the text is cut: part of a secret would not be found.
  for (const secret of secretsIn(credential ?? '')) text = text.replaceAll(secret, HIDDEN);
  text = text.replace(AUTHORIZATION_WORDS, `$1 ${HIDDEN}`);
  const { origin, host } = new URL(baseUrl);
  text = text.replaceAll(origin, HIDDEN).replaceAll(host, HIDDEN);
  text = text.slice(0, MAX_REDACTED_CHARACTERS * 2).replace(INTERNAL_ADDRESS, HIDDEN);
  return text.length > MAX_REDACTED_CHARACTERS ? `${text.slice(0, MAX_REDACTED_CHARACTERS)}…` : text;
}

/** The whole first, so that its parts leave nothing of it behind. */
function secretsIn(credential: string): string[] {
  const parts = ACCESS_KEY_ID.test(credential) ? credential.split(':') : [];
  return [credential, ...parts].filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
}
