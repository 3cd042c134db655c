/** Returns a path without the additional slashes that a base URL with a slash at its end causes. */
export function withSingleSlashes(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return path.includes('//') ? single.replace(/(?<=.)\/$/, '') : single;
}
