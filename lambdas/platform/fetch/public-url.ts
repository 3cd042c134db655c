import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

type HostLookup = (host: string) => Promise<{ address: string; family: number }[]>;

export interface PublicUrlRules {
  /** Whether http and https to loopback addresses are allowed, and any port. Set on a laptop. */
  allowLoopback?: boolean | undefined;
  lookup?: HostLookup | undefined;
}

export type UrlFault = 'not_a_url' | 'not_https' | 'userinfo' | 'port' | 'unresolved' | 'not_public';

export interface PublicUrl {
  url: URL;
  /** Checked addresses of the host. */
  addresses: { address: string; family: number }[];
}

const MAX_URL_CHARS = 4_096;

/** Checks the form of a URL, without resolving its host. */
export function readPublicUrl(text: string, { allowLoopback = false }: PublicUrlRules): URL | UrlFault {
  // The parser converts hosts such as 0x7f.1 and 2130706433 to the IP addresses that they stand for.
  const url = text.length <= MAX_URL_CHARS ? URL.parse(text) : null;
  if (!url) return 'not_a_url';
  if (url.protocol !== 'https:' && !(allowLoopback && url.protocol === 'http:')) return 'not_https';
  if (url.username || url.password) return 'userinfo';
  if (url.port && !allowLoopback) return 'port';
  return url;
}

/** Checks a URL and the IP addresses of its host. Every address must be allowed, because Node chooses between them. */
export async function resolvePublicUrl(text: string, rules: PublicUrlRules): Promise<PublicUrl | UrlFault> {
  const url = readPublicUrl(text, rules);
  if (typeof url === 'string') return url;
  const addresses = await addressesOf(urlHost(url), rules.lookup ?? ((host) => systemLookup(host, { all: true })));
  if (addresses.length === 0) return 'unresolved';
  const fitting = addresses.every(({ address }) => mayConnect(address, url, rules));
  return fitting ? { url, addresses } : 'not_public';
}

/** Returns a fault if the URL's host is an IP address that is not allowed. Does not resolve names. */
export function literalHostFault(url: URL, rules: PublicUrlRules): 'not_public' | undefined {
  const host = urlHost(url);
  return isIP(host) === 0 || mayConnect(host, url, rules) ? undefined : 'not_public';
}

export function mayConnect(address: string, url: URL, { allowLoopback = false }: PublicUrlRules): boolean {
  if (allowLoopback && isLoopbackAddress(address)) return true;
  return url.protocol === 'https:' && isPublicAddress(address);
}

async function addressesOf(host: string, lookup: HostLookup): Promise<PublicUrl['addresses']> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  try {
    return await lookup(host);
  } catch {
    return [];
  }
}

function urlHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}
