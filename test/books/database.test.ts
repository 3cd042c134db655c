import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBooks } from '../../lib/admin/books/database.ts';
import { StartFailure } from '../../lib/shared/failure.ts';
import { accountItem, writeExport } from '../support/exports.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-database-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const times = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'] as const;
const writeFull = () => writeExport(directory, 'full', [{ Item: accountItem('one', 'One') }], { exportTime: times[0] });

describe('the books of an export', () => {
  it('cannot be opened if a file is cut off, which is a message for the operator', async () => {
    const { file } = writeFull();
    writeFileSync(file, readFileSync(file).subarray(0, -20));

    const error: unknown = await openBooks(directory).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(StartFailure);
    expect((error as Error).message).toMatch(/^The export cannot be read: /);
  });

  it('can be opened if an incremental export has no files', async () => {
    writeFull();
    const { folder } = writeExport(directory, 'later', [], { exportFromTime: times[0], exportToTime: times[1] });
    writeFileSync(join(folder, 'manifest-files.json'), '');
    writeFileSync(join(folder, 'manifest-files.md5'), createHash('md5').update('').digest('base64'));

    const books = await openBooks(directory);
    try {
      expect(await books.query('SELECT pk FROM items')).toEqual([{ pk: 'ACCOUNT#one' }]);
    } finally {
      books.close();
    }
  });
});
