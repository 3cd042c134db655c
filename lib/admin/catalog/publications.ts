import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { PUBLICATION_KEY } from '../../../lambdas/catalog/publication.ts';
import { publicationsIn } from '../../../lambdas/catalog/publication-source.ts';
import { filesInDirectory } from '../../../lambdas/platform/immutable-files.ts';
import { sdkSettings } from '../../../lambdas/platform/aws/sdk.ts';

export interface KeptPublication {
  /** Id that is unique within the storage. */
  id: string;
  text: string;
}

export interface Publications {
  /** Returns the current publication; undefined if no catalog was ever published. */
  latest: () => Promise<KeptPublication | undefined>;
  /**
   * @param before publication that was current when the new catalog was prepared
   * @returns false if another publication has already replaced `before`
   */
  put: (text: string, before: KeptPublication | undefined) => Promise<boolean>;
  /** Returns publications, newest first. */
  list: (limit: number) => Promise<KeptPublication[]>;
}

type Client = Pick<S3Client, 'send'>;

/** S3's status codes for a failed write condition: 412 if the condition was false, 409 for a concurrent write. */
const OVERTAKEN = new Set([409, 412]);

/** Stores publications as versions of one S3 object. */
export function publicationsInBucket(bucket: string, client: Client = new S3Client(sdkSettings)): Publications {
  const place = { Bucket: bucket, Key: PUBLICATION_KEY };
  const etags = new Map<string, string>();

  async function read(VersionId?: string): Promise<KeptPublication | undefined> {
    try {
      const { Body, ETag, VersionId: id = '' } = await client.send(new GetObjectCommand({ ...place, VersionId }));
      etags.set(id, ETag!);
      return { id, text: await Body!.transformToString() };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  return {
    latest: () => read(),
    async put(text, before) {
      const condition = before ? { IfMatch: etags.get(before.id)! } : { IfNoneMatch: '*' };
      try {
        await client.send(
          new PutObjectCommand({ ...place, ...condition, Body: text, ContentType: 'application/jsonl' }),
        );
        return true;
      } catch (error) {
        if (error instanceof S3ServiceException && OVERTAKEN.has(error.$metadata.httpStatusCode ?? 0)) return false;
        throw error;
      }
    },
    async list(limit) {
      const { Versions = [] } = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket, Prefix: PUBLICATION_KEY, MaxKeys: limit }),
      );
      const kept = await Promise.all(Versions.map(({ VersionId }) => read(VersionId)));
      return kept.filter((one) => one !== undefined);
    },
  };
}

/** Stores each publication as a numbered file; the highest number is current. */
export function publicationsInDirectory(directory: string): Publications {
  const files = filesInDirectory(directory);
  const read = (name: string): KeptPublication => ({ id: name, text: readFileSync(join(directory, name), 'utf8') });
  return {
    async latest() {
      const last = publicationsIn(directory).at(-1);
      return last === undefined ? undefined : read(last);
    },
    put: (text, before) => files.putNew(nameAfter(before), Buffer.from(text)),
    list: async (limit) => publicationsIn(directory).slice(-limit).toReversed().map(read),
  };
}

function nameAfter(before: KeptPublication | undefined): string {
  const number = before === undefined ? 0 : Number.parseInt(before.id, 10);
  return `${String(number + 1).padStart(6, '0')}.jsonl`;
}
