/**
 * Domain filters of a search, in our own code, whatever a backend made of them. `example.com` stands for itself and its
 * subdomains, `example.com/blog` for the pages below that path; one `*` after the domain stands for any part of one path
 * segment. Ports, letter case of the host and trailing dots do not matter; the case of a path does.
 */

import { domainToASCII } from 'node:url';

/** RFC 1035, 2.3.4, without the dot at the end. */
const MAX_HOST_CHARACTERS = 253;
const MAX_CHARACTERS = 1_024;

interface DomainRule {
  host: string;
  /** Segments that a path begins with. */
  path: string[];
}

/** Why a text is not a domain that can be filtered by; undefined when it is one. */
export function domainFault(text: string): string | undefined {
  if (text.trim() === '') return 'must not be blank';
  if (text.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'must have no scheme: "example.com", not "https://example.com"';
  if (/[\s\p{Cc}]/u.test(text)) return 'must have no blanks';
  if (/[?#@\\:]/.test(text)) return 'must be a domain and perhaps a path: no port, user, query or fragment';
  const { host, path } = partsOf(text);
  if (host.includes('*')) return 'must have no wildcard in the domain: its subdomains are included as it is';
  if (path.split('*').length > 2) return 'must have at most one wildcard';
  if (host.length > MAX_HOST_CHARACTERS) return `must have a domain of at most ${MAX_HOST_CHARACTERS} characters`;
  const ascii = hostOf(host);
  if (!ascii.includes('.')) return 'must be a domain like "example.com"';
  if (ascii.length > MAX_HOST_CHARACTERS || ascii.split('.').some((label) => label === '' || label.length > 63)) {
    return 'must be a domain like "example.com"';
  }
  return undefined;
}

/** Whether a page may be among the hits of a query with these filters. */
export function domainFilter(filters: {
  allowedDomains: readonly string[];
  blockedDomains: readonly string[];
}): (url: string) => boolean {
  const allowed = filters.allowedDomains.map(ruleOf);
  const blocked = filters.blockedDomains.map(ruleOf);
  return (url) => {
    if (!URL.canParse(url)) return false;
    const page = pageOf(new URL(url));
    const isIn = (rule: DomainRule) => contains(rule, page);
    return (allowed.length === 0 || allowed.some(isIn)) && !blocked.some(isIn);
  };
}

/** The hosts of filters, each once: what a backend that knows no paths can be told. */
export function hostsOf(domains: readonly string[]): string[] {
  return [...new Set(domains.map((domain) => ruleOf(domain).host))].filter((host) => host !== '');
}

function contains(rule: DomainRule, page: DomainRule): boolean {
  if (rule.host === '' || (page.host !== rule.host && !page.host.endsWith(`.${rule.host}`))) return false;
  return rule.path.length <= page.path.length && rule.path.every((part, index) => fits(page.path[index]!, part));
}

/** @param pattern with at most one `*` */
function fits(segment: string, pattern: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return segment === pattern;
  return segment.length >= start.length + end.length && segment.startsWith(start) && segment.endsWith(end);
}

function ruleOf(domain: string): DomainRule {
  const { host, path } = partsOf(domain.trim());
  const segments = segmentsOf(path);
  // What is below a path fits anyway.
  return { host: hostOf(host), path: segments.at(-1) === '*' ? segments.slice(0, -1) : segments };
}

function pageOf({ hostname, pathname }: URL): DomainRule {
  return { host: hostOf(hostname), path: segmentsOf(pathname) };
}

function partsOf(domain: string): { host: string; path: string } {
  const slash = domain.indexOf('/');
  return slash === -1 ? { host: domain, path: '' } : { host: domain.slice(0, slash), path: domain.slice(slash) };
}

/** As URLs have it: lower case, ASCII; empty for what cannot be a host. */
function hostOf(host: string): string {
  return domainToASCII(host.replace(/\.$/, ''));
}

function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
