/**
 * Stores files that are written once and never changed: in a bucket with S3's Object Lock, or in a directory on a
 * laptop.
 *
 * Guarantee: if a file of a name exists, it stays unchanged.
 */

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
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { optionalVariable, variables } from './environment.ts';
import { quietLogger } from './aws/sdk.ts';

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
  if (bucket !== undefined) return filesInBucket(bucket);
  const directory = optionalVariable(variables.booksDirectory);
  return directory === undefined ? undefined : filesInDirectory(directory);
}

/**
 * @param client is replaced in tests. The default client computes the checksum that S3 requires for a bucket with
 *   Object Lock.
 */
export function filesInBucket(
  bucket: string,
  client = new S3Client({
    logger: quietLogger,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
  }),
): KeptFiles {
  return {
    async putNew(name, content) {
      const [Body, ContentLength] = Buffer.isBuffer(content)
        ? [content, content.length]
        : [createReadStream(content.path), content.bytes];
      try {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body, ContentLength, IfNoneMatch: '*' }));
        return true;
      } catch (error) {
        if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return false;
        throw error;
      }
    },
    async get(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }));
        return Buffer.from(await Body!.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
  };
}

const OWNER_ONLY = 0o600;

/**
 * Stores the files in a directory. It uses blocking calls. That is acceptable on a laptop, because they delay no other
 * request there.
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
