import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LineFileWriter, type LineFile } from '../../../lambdas/books/seals/line-file.ts';
import { firstAlteredLine, rootOfLeafList } from '../../../lib/admin/seals/leaf-list.ts';

/** Number of lines in the test's file. It exceeds the number of lines that are searched after a difference. */
const LINES = 3_000;

let directory: string;
let writer: LineFileWriter;
let sealed: LineFile;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-leaves-'));
  writer = await LineFileWriter.open();
  for (let number = 1; number <= LINES; number += 1) await writer.write(lineOf(number), undefined);
  sealed = await writer.end();
});
afterEach(async () => {
  await writer.remove();
  rmSync(directory, { recursive: true });
});

function lineOf(number: number): string {
  return `charge,gen-${number},1`;
}

/** Returns the first altered line. `lines[0]` has the column names, so an index is a line number. */
function altered(alter: (lines: string[]) => string[]) {
  const path = join(directory, 'lines.csv.gz');
  const lines = gunzipSync(readFileSync(sealed.lines.path)).toString('utf8').trimEnd().split('\n');
  writeFileSync(path, gzipSync(`${alter(lines).join('\n')}\n`));
  return firstAlteredLine(path, sealed.leaves.path);
}

it('a list of leaves has the root of its lines', async () => {
  expect(await rootOfLeafList(sealed.leaves.path)).toBe(sealed.root);
});

it('a comparison with the leaves names nothing if all lines are unchanged', async () => {
  expect(await altered((lines) => lines)).toBeUndefined();
});

it.each([1, 2, 1_024, 1_025, LINES])(
  'a comparison with the leaves names line %i if several lines differ',
  async (number) => {
    const found = await altered((lines) =>
      lines.map((line, at) => (at >= number && at % 2 === number % 2 ? `${line}0` : line)),
    );
    expect(found).toEqual({
      where: `line ${number}, gen-${number}`,
      says: 'differs from the line that was sealed there',
    });
  },
);

it.each([1, 7, LINES])('a comparison with the leaves names a line added at %i', async (number) => {
  const found = await altered((lines) => lines.toSpliced(number, 0, 'charge,gen-new,1'));
  expect(found).toEqual({ where: `line ${number}, gen-new`, says: 'was added (number of added lines: 1)' });
});

it('a comparison with the leaves names a line added after the last one', async () => {
  const found = await altered((lines) => [...lines, 'charge,gen-new,1']);
  expect(found).toEqual({
    where: `line ${LINES + 1}, gen-new`,
    says: 'was added after the last sealed line',
  });
});

it('a comparison with the leaves names a missing line by the line at its place', async () => {
  const found = await altered((lines) => lines.toSpliced(7, 2));
  expect(found).toEqual({
    where: 'line 7, gen-9',
    says: 'does not follow the line before it (number of missing lines: 2)',
  });
});

it('a comparison with the leaves names a missing last line', async () => {
  const found = await altered((lines) => lines.slice(0, -1));
  expect(found).toEqual({ where: `line ${LINES}`, says: 'was sealed, but the file ends before it' });
});

it('a comparison with the leaves names one of two swapped lines', async () => {
  const found = await altered((lines) => lines.with(7, lineOf(8)).with(8, lineOf(7)));
  expect(found).toEqual({ where: 'line 7, gen-8', says: 'differs from the line that was sealed there' });
});

it('a comparison with the leaves names an altered line before an unreadable part of the file', async () => {
  const path = join(directory, 'lines.csv.gz');
  const packed = gzipSync(gunzipSync(readFileSync(sealed.lines.path)).toString('utf8').replace('gen-7,', 'gen-x,'));
  writeFileSync(path, packed.subarray(0, -8));
  const found = await firstAlteredLine(path, sealed.leaves.path);
  expect(found).toEqual({ where: 'line 7, gen-x', says: 'differs from the line that was sealed there' });
});

it('a list of leaves is refused if it has other content', async () => {
  const path = join(directory, 'leaves.txt.gz');
  writeFileSync(path, gzipSync('no leaf\n'));
  await expect(rootOfLeafList(path)).rejects.toThrow('it contains data other than leaves');
});
