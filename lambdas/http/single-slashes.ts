/** Removes additional slashes, which clients send if their base URL ends with a slash. */
export function withSingleSlashes(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return path.includes('//') ? single.replace(/(?<=.)\/$/, '') : single;
}
