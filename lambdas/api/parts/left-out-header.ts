/** Lists the request fields that were not sent to the endpoint; no header if all were sent. */
export function leftOutHeader(names: readonly string[]): Record<string, string> {
  return names.length > 0 ? { 'x-gateway-left-out': names.join(', ') } : {};
}
