/**
 * Domain filters of a search, applied by the gateway in addition to any backend. `example.com` matches itself and its
 * subdomains, and `example.com/blog` matches the pages below that path. One `*` after the domain matches any part of
 * one path segment. Ports, trailing dots and the letter case of the host do not matter. The case of a path does.
 */

import { domainParts, hostOf } from '../messages/domain-rule.ts';
import { percentDecoded } from '../platform/fetch/percent-decoding.ts';

interface DomainRule {
  host: string;
  /** Leading segments of the path. */
  path: string[];
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

/** The hosts of filters, without duplicates, for backends that do not support paths. */
export function hostsOf(domains: readonly string[]): string[] {
  return [...new Set(domains.map((domain) => ruleOf(domain).host))].filter((host) => host !== '');
}

function contains(rule: DomainRule, page: DomainRule): boolean {
  if (rule.host === '' || (page.host !== rule.host && !page.host.endsWith(`.${rule.host}`))) return false;
  return rule.path.length <= page.path.length && rule.path.every((part, index) => fitsPattern(page.path[index]!, part));
}

/** @param pattern with at most one `*` */
function fitsPattern(segment: string, pattern: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return segment === pattern;
  return segment.length >= start.length + end.length && segment.startsWith(start) && segment.endsWith(end);
}

function ruleOf(domain: string): DomainRule {
  const { host, path } = domainParts(domain.trim());
  const segments = segmentsOf(path);
  // Pages below a path match anyway.
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
