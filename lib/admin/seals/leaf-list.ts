/** The list of leaves beside a day's lines: with the root of the statement it says which line is not as it was sealed. */

import { leafOf, RootHasher } from '../../../lambdas/books/seals/merkle.ts';
import { packedLines } from '../command-line/packed-lines.ts';
import { SealedLineReader } from './sealed-lines.ts';

/** Lines and leaves from the first difference on that are looked at to tell a line that was altered from one that is more or less. */
const MAX_AHEAD = 1_024;
/** No id is longer; a line that somebody put in may have anything at its place. */
const MAX_ID_CHARS = 80;

/**
 * The root of the leaves that a file lists, in memory one at a time.
 * @throws {Error} for a file that is not packed, or has anything else than leaves
 */
export async function rootOfLeafList(path: string): Promise<string> {
  const hasher = new RootHasher();
  for await (const leaf of leavesIn(path)) hasher.add(Buffer.from(leaf, 'hex'));
  return hasher.root().toString('hex');
}

/**
 * The first line of a file that is not the one that was sealed at its place.
 * @param leaves a list that the root of the statement proves
 * @returns undefined where all lines are as they were sealed, or where the file cannot be read up to the first that is not
 */
export async function firstAlteredLine(
  lines: string,
  leaves: string,
): Promise<{ where: string; says: string } | undefined> {
  const texts = new SealedLineReader(lines).texts();
  const hashes = leavesIn(leaves);
  try {
    for (let number = 1; ; number += 1) {
      const [text, hash] = [(await texts.next()).value, (await hashes.next()).value];
      if (text === undefined && hash === undefined) return undefined;
      if (text !== undefined && leafText(text) === hash) continue;
      return differenceAt(number, await ahead(text, texts), await ahead(hash, hashes));
    }
  } catch {
    return undefined;
  } finally {
    await texts.return(undefined);
    await hashes.return(undefined);
  }
}

/** @param texts from the first line on that differs; @param leaves what was sealed from there on */
function differenceAt(number: number, texts: readonly string[], leaves: readonly string[]) {
  const [first] = texts;
  if (first === undefined) return { where: `line ${number}`, says: 'was sealed, and the file ends before it' };
  const where = `line ${number}, ${idOf(first)}`;
  if (leaves.length === 0) return { where, says: 'was put in: the sealed lines end before it' };
  // The place where what was sealed here goes on, and the place where what stands here was sealed: -1 for none.
  const more = texts.map(leafText).indexOf(leaves[0]!);
  const less = leaves.indexOf(leafText(first));
  if (more > 0 && less === -1) return { where, says: `was put in (lines that were never sealed: ${more})` };
  if (less > 0 && more === -1)
    return { where, says: `does not follow the line before it (lines that are gone between them: ${less})` };
  return { where, says: 'is not the line that was sealed there' };
}

/** Some of what comes, up to where a file can be read no more. */
async function ahead(first: string | undefined, rest: AsyncGenerator<string, undefined>): Promise<string[]> {
  const some = first === undefined ? [] : [first];
  try {
    while (some.length > 0 && some.length < MAX_AHEAD) {
      const { value } = await rest.next();
      if (value === undefined) break;
      some.push(value);
    }
  } catch {
    // It is told as a fault of its own that the file cannot be read.
  }
  return some;
}

async function* leavesIn(path: string): AsyncGenerator<string, undefined> {
  for await (const leaf of packedLines(path)) {
    if (!/^[0-9a-f]{64}$/.test(leaf)) throw new Error('it has something else than leaves');
    yield leaf;
  }
}

function leafText(line: string): string {
  return leafOf(line).toString('hex');
}

function idOf(line: string): string {
  return (line.split(',', 2)[1] ?? '').slice(0, MAX_ID_CHARS);
}
