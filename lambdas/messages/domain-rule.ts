/** A domain rule filters search results: `example.com`, or `example.com/blog` with a path that may have one `*`. */

import { domainToASCII } from 'node:url';

/** Maximum length of a host name without the dot at the end (RFC 1035, section 2.3.4). */
const MAX_HOST_CHARACTERS = 253;
const MAX_RULE_CHARACTERS = 1_024;

/** Returns the fault of a domain rule; undefined if the rule is valid. */
export function domainFault(text: string): string | undefined {
  if (text.trim() === '') return 'must not be blank';
  if (text.length > MAX_RULE_CHARACTERS) return `must have at most ${MAX_RULE_CHARACTERS} characters`;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'must not have a scheme: "example.com", not "https://example.com"';
  if (/[\s\p{Cc}]/u.test(text)) return 'must not have blanks';
  if (/[?#@\\:]/.test(text))
    return 'must be a domain, optionally with a path, but without port, user, query and fragment';
  const { host, path } = domainParts(text);
  if (host.includes('*')) return 'must not have a wildcard in the domain, which already includes its subdomains';
  if (path.split('*').length > 2) return 'must have at most one wildcard';
  if (host.length > MAX_HOST_CHARACTERS) return `must have a domain of at most ${MAX_HOST_CHARACTERS} characters`;
  const ascii = hostOf(host);
  if (!ascii.includes('.')) return 'must be a domain like "example.com"';
  if (ascii.length > MAX_HOST_CHARACTERS || ascii.split('.').some((label) => label === '' || label.length > 63)) {
    return 'must be a domain like "example.com"';
  }
  return undefined;
}

/** Splits a domain rule into its host and its path. */
export function domainParts(domain: string): { host: string; path: string } {
  const slash = domain.indexOf('/');
  return slash === -1 ? { host: domain, path: '' } : { host: domain.slice(0, slash), path: domain.slice(slash) };
}

/** Returns the host in lower case and ASCII; empty if the input cannot be a host. */
export function hostOf(host: string): string {
  return domainToASCII(host.replace(/\.$/, ''));
}
