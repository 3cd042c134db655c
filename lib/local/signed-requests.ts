/**
 * Who may use the emulators of SQS and S3: requests that the gateway has signed in their headers, and links to files that it has
 * signed, and that have not expired. Other users of the machine reach the same port. Checked step by step after AWS' own description of
 * version 4, and without the library that signs.
 */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { awsSignature, SIGNING_ALGORITHM } from './aws-signing.ts';

interface AskedFor {
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
}

interface AccessKey {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A signature, and what it is made of. */
interface Signed {
  /** Key id, day, region, service and the end. */
  credential: string;
  date: string;
  signedHeaders: string[];
  signature: string;
  payload: string;
  /** The pairs of the query that are signed. */
  query: string[];
}

const SIGNATURE = 'X-Amz-Signature';
const BASIC_FORM = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const EMULATOR_AUTHORIZATION = new RegExp(
  `^${SIGNING_ALGORITHM} Credential=(.+?), ?SignedHeaders=(.+?), ?Signature=([0-9a-f]+)$`,
);

/** @returns what S3 says to a request that it does not let in; undefined where it may go on */
export function objectionToSignature(asked: AskedFor, key: AccessKey, atMs: number): string | undefined {
  const [, text = ''] = asked.url.split('?');
  const query = new URLSearchParams(text);
  const isLink = asked.headers.authorization === undefined;
  const signed = isLink ? fromQuery(query, text) : fromHeaders(asked.headers, text);
  if (!signed) return denied('AccessDenied');
  if (!matchesSignature(key, asked, signed)) return denied('SignatureDoesNotMatch');
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

/** Whether the body is the one that was signed is not looked at: nobody is between the gateway and its emulators. */
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
