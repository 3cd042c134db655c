/** The form of a manifest's name in ids of constructs. */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
