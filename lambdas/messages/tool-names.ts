import { createHash } from 'node:crypto';

/**
 * Names of tools. The model calls a tool by its name, so each name is unique in a request. Providers refuse duplicates
 * with error messages of their own.
 */

export const REPEATED_TOOL_NAME = 'is the name of another tool as well; give each tool a name of its own';

/** @returns index of the first repeated name. A tool that a provider defines may have no name. */
export function repeatedName(names: readonly (string | null | undefined)[]): number | undefined {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (!name) continue;
    if (seen.has(name)) return index;
    seen.add(name);
  }
  return undefined;
}

const KEPT_CHARACTERS = 53;
const DIGEST_CHARACTERS = 8;

/** Returns a name of at most 64 letters, digits, `_` and `-` for a tool. It is the same in every request. */
export function shortToolName(name: string): string {
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, KEPT_CHARACTERS);
  return `t_${readable}_${createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARACTERS)}`;
}
