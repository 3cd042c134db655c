/** Where a function finds the catalog that is published: an object in a bucket, or on one machine a directory. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '../platform/aws/aws-identity.ts';
import { openObject } from '../platform/aws/aws-object.ts';
import { optionalVariable, requireVariable, variables } from '../platform/environment.ts';
import { PUBLICATION_KEY } from './publication.ts';

/** The text of a publication, and what names it among all. */
export interface PublishedText {
  text: string;
  tag: string;
}

export interface PublicationSource {
  /** @returns `unchanged` while it is the one of the tag; `missing` where nothing was ever published */
  read: (knownTag: string | undefined) => Promise<PublishedText | 'unchanged' | 'missing'>;
  /** How often it is looked at. */
  everyMs: number;
}

const BUCKET_EVERY_MS = 60_000;
const DIRECTORY_EVERY_MS = 1_000;

/** Opens the place that the environment names. @throws {Error} where it names nothing: this function was not granted the catalog */
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

/** Publications are numbered there, and the last one is in force. */
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

/** The names of the files, the oldest first; none where there is no such directory. */
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
