import { invalidRequest } from '../../platform/errors.ts';

/** Filters of OpenRouter's API for which the gateway has no data, with the reason or an alternative. */
const unavailableReasons: Record<string, string> = {
  arch: 'the catalog has no families of models; use q or model_authors',
  region: 'the catalog has no regions of providers; use the filter providers',
  ...rangesOf(['intelligence_index', 'coding_index', 'agentic_index'], 'the catalog has no benchmarks'),
  ...rangesOf(['tool_success_rate'], 'the gateway does not measure the results of tool calls'),
};

function rangesOf(names: string[], reason: string): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => [`min_${name}`, `max_${name}`]).map((name) => [name, reason]));
}

/**
 * Refuses filters of OpenRouter's API for which the gateway has no data. Other unknown parameters are ignored, but
 * ignoring one of these would return wrong models.
 * @throws {GatewayError} 400 with the filter and the reason
 */
export function refuseUnavailable(query: Record<string, string>): void {
  for (const [name, reason] of Object.entries(unavailableReasons)) {
    if (query[name]) throw invalidRequest(name, `is not supported as a filter, because ${reason}`);
  }
}
