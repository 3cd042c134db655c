/** Writes files once, and never changes them, in a bucket with S3's Object Lock, or in a directory on a laptop. */

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

type FileContent = Buffer | { path: string; bytes: number };

export interface KeptFiles {
  /** @returns false if the name already has a file, perhaps from an attempt of this call whose response was lost */
  putNew(name: string, content: FileContent): Promise<boolean>;
  /** @returns undefined if the file does not exist */
  get(name: string): Promise<Buffer | undefined>;
}

/** Opens the bucket or the directory that the environment names; undefined if it names none. */
export function openKeptFiles(): KeptFiles | undefined {
  const bucket = optionalVariable(variables.booksBucket);
  if (bucket !== undefined) return filesInBucket({ bucket, identity: ownIdentity });
  const directory = optionalVariable(variables.booksDirectory);
  return directory === undefined ? undefined : filesInDirectory(directory);
}

/** S3 may take long to store a large file. */
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

/** Returns a function that writes a file to a request. */
function writerOf(path: string): (outgoing: Writable) => void {
  return (outgoing) => void pipeline(createReadStream(path), outgoing, () => undefined);
}

const OWNER_ONLY = 0o600;

/** Stores the files in a directory. Its calls block the process, because a laptop serves few requests. */
export function filesInDirectory(directory: string): KeptFiles {
  return {
    async putNew(name, content) {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // The name becomes a link to a complete file, so that no reader sees an incomplete file.
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
