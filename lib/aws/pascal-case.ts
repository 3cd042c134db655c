/** Converts a name to Pascal case, for construct ids. */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
