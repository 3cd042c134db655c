/**
 * Source files and lines of stack frames in bundles. Node's `--enable-source-maps` would read the source map at each
 * start, which is slow.
 */

import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { BoundedMap } from './bounded-map.ts';

/** Matches a frame in a bundled file. */
const BUNDLED_FRAME = /^(?<file>file:.*\.mjs):(?<line>\d+):(?<column>\d+)$/;

const maps = new BoundedMap<string, SourceMap | undefined>(16);

/**
 * Returns a frame of a stack trace with the position in the source file, and without the function's name. If this
 * position is unknown, the frame is returned unchanged.
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

/** Reads a source map; undefined if it cannot be read. Never throws, so that a missing map hides no error. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')) as SourceMap['payload']);
  } catch {
    return undefined;
  }
}
