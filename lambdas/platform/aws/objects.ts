/** Stores files in the deployment's bucket: whole files, and streams of any length in bounded memory. */

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  type CompletedPart,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { optionalVariable, requireVariable, variables } from '../environment.ts';
import { localCredentials, quietLogger } from './sdk.ts';

export interface Bucket {
  put(key: string, bytes: Buffer, mediaType: string): Promise<void>;
  /**
   * Writes a stream to a file. Readers see the file only after the whole stream is stored. If writing fails, an earlier
   * file of this name stays.
   * @returns the number of bytes
   * @throws the error of the stream, or of S3
   */
  putStream(key: string, body: AsyncIterable<Buffer>, mediaType: string): Promise<number>;
  /** @returns undefined if the file does not exist */
  get(key: string): Promise<Buffer | undefined>;
  /** Deletes a file. Succeeds also if the file does not exist. */
  delete(key: string): Promise<void>;
  /** Returns a URL at which anyone can read the file, or a range of its bytes, for the given time. */
  link(key: string, expiresInSeconds: number): Promise<string>;
}

/**
 * Size in bytes of each part of an upload except the last part, above the minimum that S3 requires. A few parts are in
 * memory at a time.
 */
const PART_BYTES = 8 * 1024 * 1024;

/** Opens the bucket that the environment names, in S3 or its emulator. */
export function openBucket(): Bucket {
  const endpoint = optionalVariable(variables.s3Endpoint);
  const client = new S3Client({
    logger: quietLogger,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint ? { endpoint, region: 'us-east-1', credentials: localCredentials, forcePathStyle: true } : {}),
  });
  const name = requireVariable(variables.bucketName);
  const of = (key: string) => ({ Bucket: name, Key: key });
  const put = async (key: string, bytes: Buffer, mediaType: string) => {
    await client.send(new PutObjectCommand({ ...of(key), Body: bytes, ContentType: mediaType }));
  };
  return {
    put,
    async putStream(key, body, mediaType) {
      const parts = inParts(body);
      try {
        const first = await parts.next();
        const second = first.done ? first : await parts.next();
        if (!second.done)
          return await putParts(client, of(key), mediaType, joinedChunks([first.value!, second.value], parts));
        const whole = first.value ?? Buffer.alloc(0);
        await put(key, whole, mediaType);
        return whole.length;
      } finally {
        // After a failure, closes `body`, because nothing reads the rest. After a complete upload, this has no effect.
        await parts.return();
      }
    },
    async get(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand(of(key)));
        return Buffer.from(await Body!.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(of(key)));
    },
    link: (key, expiresIn) => getSignedUrl(client, new GetObjectCommand(of(key)), { expiresIn }),
  };
}

async function putParts(
  client: S3Client,
  of: { Bucket: string; Key: string },
  mediaType: string,
  parts: AsyncIterable<Buffer>,
): Promise<number> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...of, ContentType: mediaType }));
  const upload = { ...of, UploadId };
  const done: CompletedPart[] = [];
  let bytes = 0;
  try {
    for await (const part of parts) {
      const PartNumber = done.length + 1;
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body: part }));
      done.push({ ETag, PartNumber });
      bytes += part.length;
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } }));
    return bytes;
  } catch (error) {
    // If this call fails too, a rule of the bucket deletes the parts a day later.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

/** Yields the same bytes in parts of one size. Only the last part may be smaller. */
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
