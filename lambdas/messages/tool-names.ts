import { createHash } from 'node:crypto';

/** Error message for a repeated name. The gateway itself checks the names, because the errors of providers differ. */
export const REPEATED_TOOL_NAME = 'is also the name of another tool; give each tool its own name';

/**
 * Finds the first repeated tool name. Tools that a provider defines may have no name.
 * @returns the index of its repetition; undefined if all names are unique
 */
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

/**
 * Returns a replacement for a name that a provider rejects. The replacement is the same in every request, and has at
 * most 64 letters, digits, `_` and `-`.
 */
export function shortToolName(name: string): string {
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, KEPT_CHARACTERS);
  return `t_${readable}_${createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARACTERS)}`;
}
