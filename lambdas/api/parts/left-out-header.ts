/** Returns the header with the names of fields that were not sent to the endpoint, or no header if all were sent. */
export function leftOutHeader(names: readonly string[]): Record<string, string> {
  return names.length > 0 ? { 'x-gateway-left-out': names.join(', ') } : {};
}
