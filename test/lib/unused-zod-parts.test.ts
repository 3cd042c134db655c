/** Tests the parts of zod that bundles leave out. Code that calls one works in other tests, but fails in a bundle. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unusedMethods, withoutUnusedParts } from '../../lib/shared/bundles/unused-parts.ts';

const zod = 'node_modules/zod/v4';

/** Returns the names of declarations in a file of zod that its text in a bundle does not have. */
function leftOut(file: string, declaration: RegExp): string[] {
  const namesIn = (text: string) => Array.from(text.matchAll(declaration), ([, name]) => name!);
  const text = readFileSync(join(zod, file), 'utf8');
  const kept = new Set(namesIn(withoutUnusedParts(text)));
  return namesIn(text).filter((name) => !kept.has(name));
}

const filesIn = (directory: string, end: RegExp) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => end.test(name))
    .map((name) => join(directory, name));

const methods = leftOut('classic/schemas.js', /^ {4}(?:async )?(\w+)(?:: async function \w+)?\([^)]*\) \{$/gm);
const times = leftOut('classic/iso.js', /^export function (\w+)\(/gm);

it('has the forms by which bundles find the parts of zod', () => {
  expect(methods).toEqual(expect.arrayContaining(['email', 'url', ...unusedMethods]));
  expect(times).toEqual(['time', 'duration']);
});

it('has no call of a part of zod that bundles leave out', () => {
  const call = new RegExp(
    `(?<!\\b(?:z|iso\\s*|regexes|util))\\.(?:${methods.join('|')})\\(|\\biso\\s*\\.(?:${times.join('|')})\\(|\\bfromJSONSchema\\(`,
  );
  const files = [
    ...filesIn('lambdas', /\.ts$/),
    // No function reads JSON schemas with zod, so bundles do not contain this file.
    ...filesIn(zod, /^(?:classic|core)\/(?!from-json-schema)[\w-]+\.js$/),
  ];
  const calls = files.flatMap((file) => {
    const [found] = call.exec(withoutUnusedParts(readFileSync(file, 'utf8')).replaceAll(/\/\/.*$/gm, '')) ?? [];
    return found === undefined ? [] : [`${file}: ${found}`];
  });

  expect(files.length).toBeGreaterThan(100);
  expect(calls).toEqual([]);
});
