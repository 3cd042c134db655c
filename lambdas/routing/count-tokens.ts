import type { MessagesRequest } from '../messages/types.ts';
import { encodeCountTokens } from '../providers/anthropic/wire.ts';
import { refusalOf, unreachable } from '../providers/failures.ts';
import { readText, UpstreamError } from '../providers/upstream-http.ts';
import type { ClientHeaders } from '../providers/wire.ts';
import type { Candidate } from './candidates.ts';
import { connect } from './dispatch.ts';

const MAX_BODY_BYTES = 64 * 1024;
const TIMEOUT_MS = 20_000;

/**
 * Asks the provider how many tokens a prompt has.
 * @returns undefined when it has no way to say.
 * @throws {GatewayError} when it refuses the request.
 */
export async function countUpstream(
  candidate: Candidate,
  request: MessagesRequest,
  client: ClientHeaders,
): Promise<number | undefined> {
  const { endpoint, target, wire } = candidate;
  if (endpoint.wire !== 'anthropic' || !endpoint.quirks.count_tokens) return undefined;
  const encoded = encodeCountTokens(request, target, client);
  try {
    const response = await connect(candidate, encoded, AbortSignal.timeout(TIMEOUT_MS)).send(encoded.body);
    const text = await readText(response.body, MAX_BODY_BYTES);
    if (response.status !== 200) {
      throw refusalOf(response.status, wire.readRefusal(text), response.headers, endpoint.provider.name);
    }
    const { input_tokens: counted } = JSON.parse(text) as { input_tokens?: unknown };
    return typeof counted === 'number' ? counted : undefined;
  } catch (error) {
    throw error instanceof UpstreamError ? unreachable(error, endpoint.provider.name) : error;
  }
}
