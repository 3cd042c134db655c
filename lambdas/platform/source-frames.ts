/**
 * Source files and lines of stack frames in bundles. A function reads its source map when it first logs an error: with
 * Node's `--enable-source-maps`, each start of a function would read it, which takes a quarter more CPU.
 */

import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { BoundedMap } from './bounded-map.ts';

/** Matches a frame in a bundled file. With `--enable-source-maps`, frames already name the source file. */
const BUNDLED_FRAME = /^(?<file>file:.*\.mjs):(?<line>\d+):(?<column>\d+)$/;

const maps = new BoundedMap<string, SourceMap | undefined>(16);

/**
 * Returns a frame of a stack trace with the position in the source file, or unchanged if that position is unknown.
 * Names of minified functions are left out.
 * @param frame as in a stack trace: `at name (file:///var/task/index.mjs:1:2)`
 */
export function sourceFrame(frame: string): string {
  const position = /\((.*)\)$/.exec(frame)?.[1] ?? frame.replace(/^at (?:async )?/, '');
  const { file, line, column } = BUNDLED_FRAME.exec(position)?.groups ?? {};
  if (file === undefined) return frame;
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !('originalSource' in entry)) return frame;
  const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
  return `at ${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

/** Never throws: a missing map must not hide the error that is being logged. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')) as SourceMap['payload']);
  } catch {
    return undefined;
  }
}
