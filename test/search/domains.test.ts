import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainFault } from '../../lambdas/messages/domain-rule.ts';
import { domainFilter, hostsOf } from '../../lambdas/search/domains.ts';

const isIn = (domain: string, url: string) => domainFilter({ allowedDomains: [domain], blockedDomains: [] })(url);

describe('a page is on a domain', () => {
  it.each([
    ['example.com', 'https://example.com'],
    ['example.com', 'http://example.com/a?b#c'],
    ['example.com', 'https://docs.example.com/a'],
    ['example.com', 'https://EXAMPLE.com:8443/'],
    ['Example.COM', 'https://example.com/'],
    ['example.com.', 'https://example.com/'],
    ['example.com', 'https://example.com./a'],
    ['example.com', 'https://user:evil.com@example.com/'],
    ['docs.example.com', 'https://docs.example.com/'],
    ['пример.рф', 'https://xn--e1afmkfd.xn--p1ai/'],
    ['xn--e1afmkfd.xn--p1ai', 'https://пример.рф/страница'],
    ['example.com/', 'https://example.com/a'],
    ['example.com/blog', 'https://example.com/blog'],
    ['example.com/blog', 'https://example.com/blog/'],
    ['example.com/blog', 'https://example.com/blog/2026/a'],
    ['example.com/blog', 'https://example.com//blog/a'],
    ['example.com/blog', 'https://example.com/%62log'],
    ['example.com/blog/', 'https://www.example.com/blog?page=2'],
    ['example.com/блог', 'https://example.com/%D0%B1%D0%BB%D0%BE%D0%B3/1'],
    ['example.com/*', 'https://example.com/'],
    ['example.com/*/news', 'https://example.com/ru/news/1'],
    ['example.com/blog-*', 'https://example.com/blog-2026/x'],
    ['example.com/v*.html', 'https://example.com/v2.html'],
  ])('%s: %s', (domain, url) => {
    expect(isIn(domain, url)).toBe(true);
  });
});

describe('a page is not on a domain', () => {
  it.each([
    ['example.com', 'https://example.com@evil.com/'],
    ['example.com', 'https://example.com%2f@evil.com/'],
    ['example.com', 'https://evil.com/example.com'],
    ['example.com', 'https://evil.com/#@example.com'],
    ['example.com', 'https://evil.com?example.com'],
    ['example.com', 'https://notexample.com/'],
    ['example.com', 'https://example.com.evil.com/'],
    ['example.com', 'https://example.co/'],
    ['docs.example.com', 'https://example.com/'],
    ['example.com/blog', 'https://example.com/'],
    ['example.com/blog', 'https://example.com/blogger'],
    ['example.com/blog', 'https://example.com/Blog'],
    ['example.com/blog', 'https://example.com/blog/../admin'],
    ['example.com/blog', 'https://example.com/a?x=/blog'],
    ['example.com/*/news', 'https://example.com/news'],
    ['example.com/*/news', 'https://example.com/a/b/news'],
    ['example.com/ab*ba', 'https://example.com/aba'],
    ['example.com', 'not a url'],
    ['', 'https://example.com/'],
    ['/', 'https://example.com/'],
  ])('%s: %s', (domain, url) => {
    expect(isIn(domain, url)).toBe(false);
  });
});

describe('the combined filters of a search by domain', () => {
  it('accept everything if they are empty', () => {
    expect(domainFilter({ allowedDomains: [], blockedDomains: [] })('https://example.com/')).toBe(true);
  });

  it('block pages below an allowed domain', () => {
    const filter = domainFilter({ allowedDomains: ['example.com', 'other.org'], blockedDomains: ['example.com/ads'] });
    const urls = ['https://example.com/a', 'https://example.com/ads/1', 'https://other.org', 'https://third.net'];
    expect(urls.filter(filter)).toEqual(['https://example.com/a', 'https://other.org']);
  });

  it('are reduced to hosts for backends without paths', () => {
    expect(hostsOf(['Example.com/a', 'example.com/b', 'пример.рф'])).toEqual(['example.com', 'xn--e1afmkfd.xn--p1ai']);
  });

  it('include a host and its subdomains, and no similar name', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
    const host = fc.tuple(label, label).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(host, label, fc.constantFrom('', '/', '/a/b?c=/d#e', '/@x'), (domain, other, path) => {
        expect(isIn(domain, `https://${domain}${path}`)).toBe(true);
        expect(isIn(domain, `https://${other}.${domain}${path}`)).toBe(true);
        expect(isIn(domain, `https://${other}${domain}${path}`)).toBe(false);
        expect(isIn(domain, `https://${domain}.${other}x${path}`)).toBe(domain === `${domain.split('.')[1]}.${other}x`);
        expect(isIn(domain, `https://${domain}@${other}.invalid${path}`)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a domain in a request', () => {
  it.each([
    'example.com',
    'docs.example.com',
    'example.com/blog',
    'example.com/*/news',
    'пример.рф',
    'a_b.example.com',
    'example.com.',
  ])('may be %s', (domain) => {
    expect(domainFault(domain)).toBeUndefined();
  });

  it.each([
    ['', /blank/],
    ['  ', /blank/],
    ['https://example.com', /not have a scheme/],
    ['example .com', /not have blanks/],
    ['example.com\n', /not have blanks/],
    ['example.com:443', /without port/],
    ['me@example.com', /without port, user/],
    ['example.com?a=1', /query/],
    ['example.com#a', /fragment/],
    ['*.example.com', /not have a wildcard in the domain/],
    ['exam*ple.com', /not have a wildcard in the domain/],
    ['example.com/*/*', /at most one wildcard/],
    ['localhost', /must be a domain/],
    ['.example.com', /must be a domain/],
    ['example..com', /must be a domain/],
    ['/blog', /must be a domain/],
    [`${'a'.repeat(64)}.com`, /must be a domain/],
    [`${'a.'.repeat(130)}com`, /at most 253/],
    [`example.com/${'a'.repeat(1_024)}`, /at most 1024/],
  ])('may not be %j', (domain, fault) => {
    expect(domainFault(domain)).toMatch(fault);
  });
});
