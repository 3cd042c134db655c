/**
 * Who may read a file of S3: requests that are signed in their headers are the gateway's own; any other one needs a link
 * that the gateway has signed, and that has not expired. Checked step by step after AWS' own description of version 4, and
 * without the library that signs.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

interface AskedFor {
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
}

const SIGNATURE = 'X-Amz-Signature';
const BASIC_FORM = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** @returns what S3 says to a request that it does not let in; undefined where it may go on */
export function objectionToLink(
  { method, url, headers }: AskedFor,
  key: { accessKeyId: string; secretAccessKey: string },
  atMs: number,
): string | undefined {
  if (headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return undefined;
  const [path = '', text = ''] = url.split('?');
  const query = new URLSearchParams(text);
  const value = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  const signature = query.get(SIGNATURE);
  if (signature === null) return denied('AccessDenied');
  const [keyId, ...scope] = value('Credential').split('/');
  const names = value('SignedHeaders').split(';');
  const canonical = [
    method,
    path,
    text
      .split('&')
      .filter((pair) => !pair.startsWith(`${SIGNATURE}=`))
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${[headers[name] ?? ''].flat().join(',').trim()}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', value('Date'), scope.join('/'), sha256(canonical)].join('\n');
  const signingKey = scope.reduce<Buffer>((by, part) => hmac(by, part), Buffer.from(`AWS4${key.secretAccessKey}`));
  const expected = hmac(signingKey, toSign);
  const given = Buffer.from(signature, 'hex');
  const isOurs = keyId === key.accessKeyId && names.includes('host');
  if (!isOurs || given.length !== expected.length || !timingSafeEqual(expected, given)) {
    return denied('SignatureDoesNotMatch');
  }
  const signedAtMs = Date.parse(value('Date').replace(BASIC_FORM, '$1-$2-$3T$4:$5:$6Z'));
  return atMs < signedAtMs + Number(value('Expires')) * 1_000 ? undefined : denied('AccessDenied: Request has expired');
}

const denied = (code: string) => `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
