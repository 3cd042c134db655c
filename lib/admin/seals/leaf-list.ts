/** List of a day's leaves (line hashes), which shows which line was altered. */

import { leafOf, RootHasher } from '../../../lambdas/books/seals/merkle.ts';
import { packedLines } from '../command-line/packed-lines.ts';
import { SealedLineReader } from './sealed-lines.ts';

/** Lines that are searched after the first difference, to find out whether a line was altered, added or removed. */
const MAX_AHEAD = 1_024;
/** Maximum length of an id in a message: a forged line may have a longer text in place of the id. */
const MAX_ID_CHARS = 80;

/**
 * Computes the root over the leaves in a file.
 * @throws {Error} if the file cannot be read, is not gzipped, or contains anything but leaves
 */
export async function rootOfLeafList(path: string): Promise<string> {
  const hasher = new RootHasher();
  for await (const leaf of leavesIn(path)) hasher.add(Buffer.from(leaf, 'hex'));
  return hasher.root().toString('hex');
}

/**
 * Describes the first line that differs from the sealed line.
 * @param leaves file with leaves whose root equals the statement's root
 * @returns undefined if no line differs, or if the files cannot be read up to the first difference
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
      return differenceAt(number, await itemsAhead(text, texts), await itemsAhead(hash, hashes));
    }
  } catch {
    return undefined;
  } finally {
    await texts.return(undefined);
    await hashes.return(undefined);
  }
}

/**
 * Describes the difference between the lines of a file and the sealed leaves.
 * @param texts lines from the first difference on
 * @param leaves sealed leaves from the first difference on
 */
function differenceAt(number: number, texts: readonly string[], leaves: readonly string[]) {
  const [first] = texts;
  if (first === undefined) return { where: `line ${number}`, says: 'was sealed, but the file ends before it' };
  const where = `line ${number}, ${idOf(first)}`;
  if (leaves.length === 0) return { where, says: 'was added after the last sealed line' };
  // `more`: index, among the present lines, of the line that was sealed here. `less`: index, among the sealed leaves,
  // of the line that is here now. -1 means not found.
  const more = texts.map(leafText).indexOf(leaves[0]!);
  const less = leaves.indexOf(leafText(first));
  if (more > 0 && less === -1) return { where, says: `was added (number of added lines: ${more})` };
  if (less > 0 && more === -1)
    return { where, says: `does not follow the line before it (number of missing lines: ${less})` };
  return { where, says: 'differs from the line that was sealed there' };
}

/** Returns the first item and its successors. Stops at `MAX_AHEAD` items, or at an item that cannot be read. */
async function itemsAhead(first: string | undefined, rest: AsyncGenerator<string, undefined>): Promise<string[]> {
  const some = first === undefined ? [] : [first];
  try {
    while (some.length > 0 && some.length < MAX_AHEAD) {
      const { value } = await rest.next();
      if (value === undefined) break;
      some.push(value);
    }
  } catch {
    // The check of the file reports an unreadable file.
  }
  return some;
}

async function* leavesIn(path: string): AsyncGenerator<string, undefined> {
  for await (const leaf of packedLines(path)) {
    if (!/^[0-9a-f]{64}$/.test(leaf)) throw new Error('it contains data other than leaves');
    yield leaf;
  }
}

function leafText(line: string): string {
  return leafOf(line).toString('hex');
}

function idOf(line: string): string {
  return (line.split(',', 2)[1] ?? '').slice(0, MAX_ID_CHARS);
}
