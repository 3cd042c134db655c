/** Names the fields of a request that the endpoint was not sent; nothing where it was sent all. */
export function leftOutHeader(names: readonly string[]): Record<string, string> {
  return names.length > 0 ? { 'x-gateway-left-out': names.join(', ') } : {};
}
