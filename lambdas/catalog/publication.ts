/**
 * A catalog that was published while the gateway runs, as one text of two lines: who has published it and when, and the files
 * as they were checked (checked.ts). The first line has the hash of the second, so that what was cut or altered is not used.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { CatalogFiles } from './catalog.ts';
import { CatalogError } from './catalog-error.ts';
import { readChecked, writeChecked } from './checked.ts';

/** The key of the object that has the publication which is in force. */
export const PUBLICATION_KEY = 'catalog/current.jsonl';

/** The text may be no longer: a function reads no larger answers (platform/aws/aws-exchange.ts). */
export const MAX_PUBLICATION_BYTES = 10_000_000;

/** A function of this release reads this form, and no other one. */
const FORM = 1;

export interface Publication {
  /** ISO time. */
  publishedAt: string;
  /** Who published it, as the audit names people. */
  by: string;
  /** Undefined: what was published before is withdrawn, and the catalog that was deployed is in force. */
  files: CatalogFiles | undefined;
}

const headerSchema = z.object({
  form: z.number(),
  published_at: z.iso.datetime(),
  by: z.string().min(1).max(2_048),
  /** The version of the catalog; null where none is in force. */
  version: z.string().nullable(),
  sha256: z.string().nullable(),
});

/** The first line of a publication, as it is read. */
type PublicationHeader = z.infer<typeof headerSchema>;

export function writePublication({ publishedAt, by, files }: Publication): string {
  const text = files && writeChecked(files);
  const header: PublicationHeader = {
    form: FORM,
    published_at: publishedAt,
    by,
    version: files?.version ?? null,
    sha256: text === undefined ? null : hashOf(text),
  };
  return `${JSON.stringify(header)}\n${text === undefined ? '' : `${text}\n`}`;
}

/** @throws {CatalogError} for what no release up to this one has written, whole and unaltered */
export function readPublication(text: string): Publication {
  const { version, sha256, published_at: publishedAt, by } = readHeader(text);
  if (sha256 === null) return { publishedAt, by, files: undefined };
  const content = text.slice(text.indexOf('\n') + 1).replace(/\n$/, '');
  if (hashOf(content) !== sha256) throw new CatalogError('The published catalog is not what was published');
  const files = readChecked(content);
  if (files.version !== version) throw new CatalogError('The published catalog has another version than it says');
  return { publishedAt, by, files };
}

function readHeader(text: string): PublicationHeader {
  const end = text.indexOf('\n');
  const parsed = headerSchema.safeParse(end === -1 ? undefined : parsedJson(text.slice(0, end)));
  if (!parsed.success) throw new CatalogError('What is published is no catalog');
  const { form } = parsed.data;
  if (form !== FORM) throw new CatalogError(`The published catalog has form ${form}, and this release reads ${FORM}`);
  return parsed.data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
