/**
 * Matches the message with which Envoy, with status 503, reports a connection that broke after it had forwarded the
 * request. Other reset reasons, such as "connection failure", mean that the request was not forwarded.
 * https://github.com/envoyproxy/envoy/blob/main/source/common/http/utility.cc
 */
const LOST_AFTER_FORWARDING =
  /\breset before headers\b[^\n]{0,80}\breset reason: (?:local reset|remote reset|connection termination|protocol error)/i;

/** Returns whether a proxy states that the provider may have read the request. */
export function isLostByProxy(text: string): boolean {
  return LOST_AFTER_FORWARDING.test(text);
}
