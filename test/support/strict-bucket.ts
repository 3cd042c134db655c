/**
 * Partial emulator of S3 that checks signatures, the hash of each body, canonical paths, and the sizes and tags of the
 * parts of an upload.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
 */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { escapeUri } from '@smithy/core/protocols';
import { objectionToSignature } from '../../lib/local/signed-requests.ts';
import { listen, type Listening } from './listen.ts';

/** Minimum size of each part of an upload except the last. */
const MIN_PART_BYTES = 5 * 1024 * 1024;

export type Fault = (response: ServerResponse) => void;

export interface StrictBucket extends Listening {
  files: Map<string, { bytes: Buffer; mediaType: string | undefined }>;
  /** Parts of unfinished uploads, by upload id. */
  uploads: Map<string, { key: string; mediaType: string | undefined; parts: Map<number, Buffer> }>;
  /** Faults of the next requests, in order; undefined for none. */
  faults: (Fault | undefined)[];
  requests: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  /** Time that the bucket's clock is ahead of the local clock. */
  clockAheadMs: number;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

const refused = (status: number, code: string): Answer => ({ status, body: `<Error><Code>${code}</Code></Error>` });
const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** Starts the emulator. Each path begins with the name of the bucket. */
export async function startStrictBucket(key: {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}): Promise<StrictBucket> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url = '', headers } = request;
      bucket.requests.push({ method, url, headers });
      const fault = bucket.faults.shift();
      if (fault) return fault(response);
      const { status, headers: more, body: answer } = objection(request, body) ?? answerTo(request, body);
      response.writeHead(status, { date: new Date(now()).toUTCString(), ...more }).end(answer);
    });
  });
  const bucket: StrictBucket = {
    ...(await listen(server)),
    files: new Map(),
    uploads: new Map(),
    faults: [],
    requests: [],
    clockAheadMs: 0,
  };

  const now = () => Date.now() + bucket.clockAheadMs;

  function objection({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Answer | undefined {
    const path = url.split('?')[0]!;
    const isCanonical = path === path.split('/').map(decodeURIComponent).map(escapeUri).join('/');
    const isLink = headers.authorization === undefined;
    const token = isLink
      ? new URL(url, 'http://s3').searchParams.get('X-Amz-Security-Token')
      : headers['x-amz-security-token'];
    const isOfRole = token === key.sessionToken;
    if (isSkewed(headers['x-amz-date'])) return refused(403, 'RequestTimeTooSkewed');
    if (!isCanonical || !isOfRole || objectionToSignature({ method, url, headers }, key, now()) !== undefined)
      return refused(403, 'SignatureDoesNotMatch');
    const hash = createHash('sha256').update(body).digest('hex');
    if (!isLink && headers['x-amz-content-sha256'] !== hash) return refused(400, 'XAmzContentSHA256Mismatch');
    return undefined;
  }

  /**
   * Whether the time of a signature is too far from the bucket's clock. S3 accepts a difference of up to 15 minutes.
   */
  function isSkewed(signedAt: unknown): boolean {
    if (typeof signedAt !== 'string') return false;
    const atMs = Date.parse(signedAt.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
    return Math.abs(now() - atMs) > 15 * 60_000;
  }

  function answerTo({ method, url, headers }: IncomingMessage, body: Buffer): Answer {
    const { pathname, searchParams } = new URL(url!, 'http://s3');
    const name = decodeURIComponent(pathname.split('/').slice(2).join('/'));
    const mediaType = headers['content-type'];
    const uploadId = searchParams.get('uploadId');
    if (method !== 'GET' && method !== 'DELETE' && headers['content-length'] === undefined)
      return refused(411, 'MissingContentLength');
    if (searchParams.has('uploads')) {
      const id = `upload.${bucket.uploads.size}_a-b`;
      bucket.uploads.set(id, { key: name, mediaType, parts: new Map() });
      return { status: 200, body: `<R><UploadId>${id}</UploadId></R>` };
    }
    if (uploadId !== null) return answerToUpload(method!, uploadId, Number(searchParams.get('partNumber')), body);
    if (method === 'PUT') {
      bucket.files.set(name, { bytes: body, mediaType });
      return { status: 200, headers: { etag: tagOf(body) } };
    }
    if (method === 'DELETE') {
      bucket.files.delete(name);
      return { status: 204 };
    }
    const file = bucket.files.get(name);
    return file ? { status: 200, headers: { etag: tagOf(file.bytes) }, body: file.bytes } : refused(404, 'NoSuchKey');
  }

  function answerToUpload(method: string, uploadId: string, partNumber: number, body: Buffer): Answer {
    const upload = bucket.uploads.get(uploadId);
    if (!upload) return refused(404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(partNumber, body);
      return { status: 200, headers: { etag: tagOf(body) } };
    }
    if (method === 'POST') {
      const listed = Array.from(
        body.toString('utf8').matchAll(/<Part><ETag>([^<]+)<\/ETag><PartNumber>(\d+)<\/PartNumber><\/Part>/g),
        ([, tag, number]) => ({ tag, number: Number(number) }),
      );
      const parts = listed.map(({ number }) => upload.parts.get(number) ?? Buffer.alloc(0));
      if (listed.some(({ number }, index) => number !== index + 1)) return refused(400, 'InvalidPartOrder');
      if (listed.length === 0 || listed.some(({ tag }, index) => tag !== tagOf(parts[index]!)))
        return refused(400, 'InvalidPart');
      if (parts.slice(0, -1).some(({ length }) => length < MIN_PART_BYTES)) return refused(400, 'EntityTooSmall');
      bucket.files.set(upload.key, { bytes: Buffer.concat(parts), mediaType: upload.mediaType });
    }
    bucket.uploads.delete(uploadId);
    return { status: method === 'DELETE' ? 204 : 200, body: '<CompleteMultipartUploadResult/>' };
  }

  return bucket;
}
