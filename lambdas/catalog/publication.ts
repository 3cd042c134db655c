/**
 * A catalog that is published while the gateway runs. The text has two lines: a header with publisher and time, and the
 * checked files (checked.ts). The header has the hash of the second line, so damaged files are not used.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { CatalogFiles } from './catalog.ts';
import { CatalogError } from './catalog-error.ts';
import { readChecked, writeChecked } from './checked.ts';

/** Key of the current publication in the bucket. */
export const PUBLICATION_KEY = 'catalog/current.jsonl';

/** Maximum size of the text in bytes, which functions can read (platform/aws/aws-exchange.ts). */
export const MAX_PUBLICATION_BYTES = 10_000_000;

/** Version of the format. This release reads only this version. */
const FORM = 1;

export interface Publication {
  /** Time of the publication in ISO format. */
  publishedAt: string;
  /** Publisher, as the audit log names people. */
  by: string;
  /** Undefined if this publication withdraws all earlier publications, so that the deployed catalog applies. */
  files: CatalogFiles | undefined;
}

const headerSchema = z.object({
  form: z.number(),
  published_at: z.iso.datetime(),
  by: z.string().min(1).max(2_048),
  /** Version of the catalog; null if this publication withdraws all earlier publications. */
  version: z.string().nullable(),
  sha256: z.string().nullable(),
});

/** First line of a publication. */
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

/**
 * Reads a publication.
 * @throws {CatalogError} if the text is not a complete, unaltered publication in the format of this release
 */
export function readPublication(text: string): Publication {
  const { version, sha256, published_at: publishedAt, by } = readHeader(text);
  if (sha256 === null) return { publishedAt, by, files: undefined };
  const content = text.slice(text.indexOf('\n') + 1).replace(/\n$/, '');
  if (hashOf(content) !== sha256)
    throw new CatalogError('The published catalog was altered: its hash differs from the hash in its header');
  const files = readChecked(content);
  if (files.version !== version)
    throw new CatalogError('The version of the published catalog differs from the version in its header');
  return { publishedAt, by, files };
}

function readHeader(text: string): PublicationHeader {
  const end = text.indexOf('\n');
  const parsed = headerSchema.safeParse(end === -1 ? undefined : parsedJson(text.slice(0, end)));
  if (!parsed.success) throw new CatalogError('The published object is not a catalog');
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
