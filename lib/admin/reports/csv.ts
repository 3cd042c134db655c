import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { csvOptions, type CsvRow, type Locale } from '../../../lambdas/books/csv.ts';
import { privateFile } from '../../shared/data-directory/private-files.ts';

export interface WrittenFile {
  name: string;
  lines: number;
  bytes: number;
  sha256: string;
}

/** Writes one CSV file row by row; a new file is readable only by its owner. */
export class CsvFile {
  readonly #name: string;
  readonly #rows: ReturnType<typeof stringify>;
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');
  #lines = 0;
  #bytes = 0;

  constructor(directory: string, name: string, locale: Locale) {
    this.#name = name;
    this.#rows = stringify(csvOptions(locale));
    const counted = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        done(null, chunk);
      },
    });
    this.#written = pipeline(this.#rows, counted, createWriteStream(join(directory, name), privateFile));
    // Without a handler, an error before `end` (for example a full disk) would be an unhandled rejection that ends the
    // process.
    this.#written.catch(() => {});
  }

  async write(row: CsvRow): Promise<void> {
    this.#lines += 1;
    if (this.#rows.write(row)) return;
    // After an error, the stream never emits `drain`, and awaiting `#written` throws the error.
    await (this.#rows.destroyed ? this.#written : once(this.#rows, 'drain'));
  }

  async end(): Promise<WrittenFile> {
    this.#rows.end();
    await this.#written;
    return { name: this.#name, lines: this.#lines, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

export async function csvText(rows: AsyncIterable<CsvRow>, locale: Locale): Promise<string> {
  const stringifier = stringify(csvOptions(locale));
  const whole = text(stringifier);
  for await (const row of rows) stringifier.write(row);
  stringifier.end();
  return whole;
}

/** Writes a small file; a new file is readable only by its owner. */
export function writeText(path: string, content: string): WrittenFile {
  writeFileSync(path, content, privateFile);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name: basename(path), lines: content.split('\n').length - 1, bytes: Buffer.byteLength(content), sha256 };
}
