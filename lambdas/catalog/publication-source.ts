/** The published catalog is an object in a bucket, or a file in a directory on a laptop. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '../platform/aws/aws-identity.ts';
import { openObject } from '../platform/aws/aws-object.ts';
import { optionalVariable, requireVariable, variables } from '../platform/environment.ts';
import { PUBLICATION_KEY } from './publication.ts';

/** Text of a published catalog. `tag` identifies the publication. */
export interface PublishedText {
  text: string;
  tag: string;
}

export interface PublicationSource {
  /** @returns `unchanged` if the publication has the known tag; `missing` if there is none */
  read: (knownTag: string | undefined) => Promise<PublishedText | 'unchanged' | 'missing'>;
  /** Time between two reads, in ms. */
  everyMs: number;
}

const BUCKET_EVERY_MS = 60_000;
const DIRECTORY_EVERY_MS = 1_000;

/**
 * Opens the source that the environment names.
 * @throws {Error} if the environment names no source, as in a function that must not read the catalog
 */
export function openPublicationSource(): PublicationSource {
  const directory = optionalVariable(variables.publicationsDirectory);
  return directory === undefined
    ? publicationInBucket(requireVariable(variables.catalogBucket))
    : publicationInDirectory(directory);
}

export function publicationInBucket(bucket: string): PublicationSource {
  const endpoint = optionalVariable(variables.s3Endpoint);
  const readObject = openObject({ bucket, key: PUBLICATION_KEY, endpoint, identity: ownIdentity });
  return {
    everyMs: BUCKET_EVERY_MS,
    async read(knownTag) {
      const read = await readObject(knownTag);
      return typeof read === 'string' ? read : { text: read.text, tag: read.etag };
    },
  };
}

/** Names of publication files are numbers. The file with the highest number is current. */
const PUBLICATION_FILE = /^\d{6}\.jsonl$/;

export function publicationInDirectory(directory: string): PublicationSource {
  return {
    everyMs: DIRECTORY_EVERY_MS,
    async read(knownTag) {
      const last = publicationsIn(directory).at(-1);
      if (last === undefined) return 'missing';
      if (last === knownTag) return 'unchanged';
      return { text: readFileSync(join(directory, last), 'utf8'), tag: last };
    },
  };
}

/** Returns the names of the publication files, the oldest first; empty if the directory does not exist. */
export function publicationsIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => PUBLICATION_FILE.test(name))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
