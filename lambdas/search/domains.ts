/**
 * Applies the domain filters of a search, in addition to the backend's own filters. `example.com` matches this host and
 * its subdomains, `example.com/blog` the pages below that path. One `*` in a path matches any part of one path segment.
 * The letter case of a path matters.
 */

import { domainParts, hostOf } from '../messages/domain-rule.ts';
import { percentDecoded } from '../platform/fetch/percent-decoding.ts';

interface DomainRule {
  host: string;
  /** Path segments with which the page's path must begin. */
  path: string[];
}

/** Returns a function that tests whether the filters allow a page. */
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

/** Returns the hosts of filters, for backends that do not support paths. */
export function hostsOf(domains: readonly string[]): string[] {
  return [...new Set(domains.map((domain) => ruleOf(domain).host))].filter((host) => host !== '');
}

function contains(rule: DomainRule, page: DomainRule): boolean {
  if (rule.host === '' || (page.host !== rule.host && !page.host.endsWith(`.${rule.host}`))) return false;
  return rule.path.length <= page.path.length && rule.path.every((part, index) => fitsPattern(page.path[index]!, part));
}

/**
 * Whether a path segment matches a pattern.
 * @param pattern a path segment with at most one `*`
 */
function fitsPattern(segment: string, pattern: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return segment === pattern;
  return segment.length >= start.length + end.length && segment.startsWith(start) && segment.endsWith(end);
}

function ruleOf(domain: string): DomainRule {
  const { host, path } = domainParts(domain.trim());
  const segments = segmentsOf(path);
  // A final `*` is dropped, because a rule matches all pages below its path anyway.
  return { host: hostOf(host), path: segments.at(-1) === '*' ? segments.slice(0, -1) : segments };
}

function pageOf({ hostname, pathname }: URL): DomainRule {
  return { host: hostOf(hostname), path: segmentsOf(pathname) };
}

function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map(percentDecoded);
}
