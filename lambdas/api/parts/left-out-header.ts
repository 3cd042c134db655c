/** Returns the header with the names of the fields that the endpoint did not get; no header if it got all of them. */
export function leftOutHeader(names: readonly string[]): Record<string, string> {
  return names.length > 0 ? { 'x-gateway-left-out': names.join(', ') } : {};
}
