import { optionalVariable, requireVariable, variables } from '../environment.ts';
import {
  bucketAt,
  bucketError,
  callBucket,
  callBucketOnce,
  readFromBucket,
  signedLink,
  type BucketRequest,
  type OpenBucket,
} from './aws-bucket.ts';
import { NoReplyError, retryTransient } from './aws-call.ts';
import { ownIdentity } from './aws-identity.ts';

export interface Bucket {
  put(key: string, bytes: Buffer, mediaType: string): Promise<void>;
  /**
   * Writes a stream to a file, which replaces an earlier file only when the whole stream is stored.
   * @returns the number of bytes
   * @throws the error of the stream, or of S3
   */
  putStream(key: string, body: AsyncIterable<Buffer>, mediaType: string): Promise<number>;
  /** @returns undefined if the file does not exist */
  get(key: string): Promise<Buffer | undefined>;
  /** Deletes a file. Succeeds also if the file does not exist. */
  delete(key: string): Promise<void>;
  /**
   * Returns a URL at which anyone can read the file, or a range of its bytes, for the given time, unless the
   * credentials expire earlier.
   */
  link(key: string, expiresInSeconds: number): Promise<string>;
}

/** Size in bytes of each part of an upload except the last part. */
const PART_BYTES = 8 * 1024 * 1024;

const XML_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Responses have no maximum size, because the gateway itself stored the files and limited their size. */
const limits = { maxSilenceMs: 30_000, maxAnswerBytes: Infinity };

/** Opens the bucket that the environment names. */
export function openBucket(): Bucket {
  const bucket = bucketAt({
    bucket: requireVariable(variables.bucketName),
    endpoint: optionalVariable(variables.s3Endpoint),
    identity: ownIdentity,
  });
  const put = async (key: string, body: Buffer, mediaType: string) => {
    await callBucket(bucket, { method: 'PUT', key, headers: { 'content-type': mediaType }, body, ...limits });
  };
  return {
    put,
    async putStream(key, body, mediaType) {
      const parts = inParts(body);
      try {
        const first = await parts.next();
        const second = first.done ? first : await parts.next();
        if (!second.done)
          return await putParts(bucket, key, mediaType, joinedChunks([first.value!, second.value], parts));
        const whole = first.value ?? Buffer.alloc(0);
        await put(key, whole, mediaType);
        return whole.length;
      } finally {
        // After a failure, closes `body`, because nothing reads the rest.
        await parts.return();
      }
    },
    get: (key) => readFromBucket(bucket, key, limits),
    async delete(key) {
      await callBucket(bucket, { method: 'DELETE', key, ...limits });
    },
    link: (key, expiresInSeconds) => signedLink(bucket, key, expiresInSeconds),
  };
}

async function putParts(
  bucket: OpenBucket,
  key: string,
  mediaType: string,
  parts: AsyncIterable<Buffer>,
): Promise<number> {
  const headers = { 'content-type': mediaType };
  const begun = await callBucket(bucket, { method: 'POST', key, query: { uploads: '' }, headers, ...limits });
  const uploadId = valueIn(/<UploadId>([^<]+)<\/UploadId>/.exec(String(begun.body))?.[1], 'upload id');
  let xml = '';
  let count = 0;
  let bytes = 0;
  try {
    for await (const body of parts) {
      count += 1;
      const query = { partNumber: String(count), uploadId };
      const { headers: answered } = await callBucket(bucket, { method: 'PUT', key, query, body, ...limits });
      xml += `<Part><ETag>${valueIn(answered.etag, 'ETag')}</ETag><PartNumber>${count}</PartNumber></Part>`;
      bytes += body.length;
    }
    const body = `<CompleteMultipartUpload xmlns="${XML_NAMESPACE}">${xml}</CompleteMultipartUpload>`;
    await completeUpload(bucket, { method: 'POST', key, query: { uploadId }, body, ...limits });
    return bytes;
  } catch (error) {
    // If this call fails too, a rule of the bucket deletes the parts a day later.
    await callBucket(bucket, { method: 'DELETE', key, query: { uploadId }, ...limits }).catch(() => undefined);
    throw error;
  }
}

/** Completes an upload. An error of S3 may have status 200, so the body is checked. */
function completeUpload(bucket: OpenBucket, request: BucketRequest): Promise<void> {
  return retryTransient(async () => {
    const { body } = await callBucketOnce(bucket, request);
    if (body.includes('<Error>')) throw bucketError(503, body);
  });
}

function valueIn(value: string | undefined, name: string): string {
  if (value === undefined) throw new NoReplyError(`The answer has no ${name}`);
  return value;
}

/** Yields the same bytes in parts of PART_BYTES. The last part may be shorter. */
async function* inParts(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let rest = chunk;
    while (size + rest.length >= PART_BYTES) {
      const cut = PART_BYTES - size;
      yield Buffer.concat([...chunks, rest.subarray(0, cut)]);
      rest = rest.subarray(cut);
      [chunks, size] = [[], 0];
    }
    if (rest.length > 0) chunks.push(rest);
    size += rest.length;
  }
  if (size > 0) yield Buffer.concat(chunks);
}

async function* joinedChunks(first: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield* first;
  yield* rest;
}
