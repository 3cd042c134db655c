/**
 * Stores files that are written once and never changed: in a bucket with S3's Object Lock, or in a directory on a
 * laptop.
 *
 * Guarantee: if a file of a name exists, it stays unchanged.
 */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline, type Writable } from 'node:stream';
import { bucketAt, callBucket, readFromBucket, type BucketPlace } from './aws/aws-bucket.ts';
import { AwsError } from './aws/aws-call.ts';
import { ownIdentity } from './aws/aws-identity.ts';
import { optionalVariable, variables } from './environment.ts';

/** Content of a file: its bytes, or the path and size of a local file. */
type FileContent = Buffer | { path: string; bytes: number };

export interface KeptFiles {
  /** @returns false if the name already has a file, which then stays unchanged */
  putNew(name: string, content: FileContent): Promise<boolean>;
  /** @returns undefined if no file has that name */
  get(name: string): Promise<Buffer | undefined>;
}

/** Opens the bucket or the directory that the environment names; undefined if it names none. */
export function openKeptFiles(): KeptFiles | undefined {
  const bucket = optionalVariable(variables.booksBucket);
  if (bucket !== undefined) return filesInBucket({ bucket, identity: ownIdentity });
  const directory = optionalVariable(variables.booksDirectory);
  return directory === undefined ? undefined : filesInDirectory(directory);
}

/** Files may be large, and S3 stores large files slowly. */
const limits = { maxSilenceMs: 60_000, maxAnswerBytes: Infinity };

export function filesInBucket(place: BucketPlace): KeptFiles {
  const bucket = bucketAt(place);
  return {
    async putNew(name, content) {
      const isInMemory = Buffer.isBuffer(content);
      const sha256 = await digestOf(isInMemory ? [content] : createReadStream(content.path));
      const headers = {
        'if-none-match': '*',
        'content-length': String(isInMemory ? content.length : content.bytes),
        'x-amz-content-sha256': sha256.toString('hex'),
        // S3 requires a checksum for a bucket with Object Lock.
        'x-amz-checksum-sha256': sha256.toString('base64'),
      };
      const body = isInMemory ? { body: content } : { write: writerOf(content.path) };
      try {
        await callBucket(bucket, { method: 'PUT', key: name, headers, ...body, ...limits });
        return true;
      } catch (error) {
        if (error instanceof AwsError && error.status === 412) return false;
        throw error;
      }
    },
    get: (name) => readFromBucket(bucket, name, limits),
  };
}

async function digestOf(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest();
}

/** Returns a function that writes a file to a request. If either of them fails, the other is closed. */
function writerOf(path: string): (outgoing: Writable) => void {
  return (outgoing) => void pipeline(createReadStream(path), outgoing, () => undefined);
}

const OWNER_ONLY = 0o600;

/**
 * Stores the files in a directory. It uses blocking calls. That is acceptable on a laptop, because few requests are
 * served there.
 */
export function filesInDirectory(directory: string): KeptFiles {
  return {
    async putNew(name, content) {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // The file is written under another name and then linked to its own name, so that no reader sees an incomplete
      // file.
      const unfinished = mkdtempSync(join(dirname(path), '.new-'));
      const whole = join(unfinished, 'file');
      try {
        if (Buffer.isBuffer(content)) writeFileSync(whole, content);
        else copyFileSync(content.path, whole);
        chmodSync(whole, OWNER_ONLY);
        linkSync(whole, path);
        return true;
      } catch (error) {
        if (isCode(error, 'EEXIST')) return false;
        throw error;
      } finally {
        rmSync(unfinished, { recursive: true, force: true });
      }
    },
    async get(name) {
      try {
        return readFileSync(join(directory, name));
      } catch (error) {
        if (isCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
  };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
