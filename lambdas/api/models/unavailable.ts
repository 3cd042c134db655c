import { invalidRequest } from '../../platform/errors.ts';

/** Filters of the public convention that the catalog has no data for, each with what to do instead. */
const unavailableReasons: Record<string, string> = {
  arch: 'the catalog does not know families of models; use q or model_authors',
  region: 'the catalog does not know where providers compute; choose them with providers',
  ...rangesOf(['intelligence_index', 'coding_index', 'agentic_index'], 'the catalog has no benchmarks'),
  ...rangesOf(['tool_success_rate'], 'nobody measures here how calls of tools end'),
};

function rangesOf(names: string[], reason: string): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => [`min_${name}`, `max_${name}`]).map((name) => [name, reason]));
}

/**
 * Lists of models ignore parameters that they do not know. These they know: a list that were not filtered by them would
 * promise what it does not keep.
 * @throws {GatewayError} 400 naming the filter, and why it is not there.
 */
export function refuseUnavailable(query: Record<string, string>): void {
  for (const [name, reason] of Object.entries(unavailableReasons)) {
    if (query[name]) throw invalidRequest(name, `cannot be filtered by here: ${reason}`);
  }
}
