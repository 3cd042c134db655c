/**
 * Access control for the SQS and S3 emulators, whose port other users of the machine can reach. It accepts requests
 * that are signed with the gateway's key, and signed links that have not expired.
 */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { awsSignature, SIGNING_ALGORITHM } from './aws-signing.ts';

interface AskedFor {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: IncomingHttpHeaders;
}

interface AccessKey {
  accessKeyId: string;
  secretAccessKey: string;
}

interface Signed {
  /** Key id, day, region, service and terminator, separated by slashes. */
  credential: string;
  date: string;
  signedHeaders: string[];
  signature: string;
  payload: string;
  /** Name=value pairs that the signature covers. */
  query: string[];
}

const SIGNATURE = 'X-Amz-Signature';
const BASIC_FORM = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const EMULATOR_AUTHORIZATION = new RegExp(
  `^${SIGNING_ALGORITHM} Credential=(.+?), ?SignedHeaders=(.+?), ?Signature=([0-9a-f]+)$`,
);

/** @returns the error body for a rejected request; undefined if it is accepted */
export function objectionToSignature(requested: AskedFor, key: AccessKey, atMs: number): string | undefined {
  const [, text = ''] = requested.url.split('?');
  const query = new URLSearchParams(text);
  const isLink = requested.headers.authorization === undefined;
  const signed = isLink ? fromQuery(query, text) : fromHeaders(requested.headers, text);
  if (!signed) return denied('AccessDenied');
  if (!matchesSignature(key, requested, signed)) return denied('SignatureDoesNotMatch');
  if (!isLink) return undefined;
  const signedAtMs = Date.parse(signed.date.replace(BASIC_FORM, '$1-$2-$3T$4:$5:$6Z'));
  const endsAtMs = signedAtMs + Number(query.get('X-Amz-Expires')) * 1_000;
  return atMs < endsAtMs ? undefined : denied('AccessDenied: Request has expired');
}

function fromQuery(query: URLSearchParams, text: string): Signed | undefined {
  const value = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  const signature = query.get(SIGNATURE);
  if (signature === null) return undefined;
  return {
    credential: value('Credential'),
    date: value('Date'),
    signedHeaders: value('SignedHeaders').split(';'),
    signature,
    payload: 'UNSIGNED-PAYLOAD',
    query: text.split('&').filter((pair) => !pair.startsWith(`${SIGNATURE}=`)),
  };
}

/**
 * Reads a signature from headers.
 *
 * Weakness: the body is not compared with its signed hash.
 */
function fromHeaders(headers: IncomingHttpHeaders, text: string): Signed | undefined {
  const [, credential, names, signature] = EMULATOR_AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  const { 'x-amz-content-sha256': payload, 'x-amz-date': date } = headers;
  if (!credential || !names || !signature || !payload || !date) return undefined;
  const query = text === '' ? [] : text.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  return {
    credential,
    date: String(date),
    signedHeaders: names.split(';'),
    signature,
    payload: String(payload),
    query,
  };
}

function matchesSignature(key: AccessKey, { method, url, headers }: AskedFor, signed: Signed): boolean {
  const { credential, date, signedHeaders, signature, payload, query } = signed;
  const [keyId, ...scope] = credential.split('/');
  const canonical = [
    method,
    url.split('?')[0],
    query.toSorted().join('&'),
    ...signedHeaders.map((name) => `${name}:${[headers[name] ?? ''].flat().join(',').trim()}`),
    '',
    signedHeaders.join(';'),
    payload,
  ].join('\n');
  const expected = awsSignature({ secret: key.secretAccessKey, date, scope }, canonical);
  const given = Buffer.from(signature, 'hex');
  const isOurs = keyId === key.accessKeyId && signedHeaders.includes('host');
  return isOurs && given.length === expected.length && timingSafeEqual(expected, given);
}

const denied = (code: string) => `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
