/** Names of tools: the model calls a tool by its name, so each stands once in a request. Providers refuse it in words of their own. */

export const REPEATED_TOOL_NAME = 'is the name of another tool as well; give each tool a name of its own';

/** @returns the place of the first name that stands before as well. A tool of a provider’s own may have none. */
export function repeatedName(names: readonly (string | null | undefined)[]): number | undefined {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (!name) continue;
    if (seen.has(name)) return index;
    seen.add(name);
  }
  return undefined;
}
