import type { MessagesRequest } from '../messages/types.ts';
import { alarmOperator } from '../platform/operator-alarm.ts';
import type { ProviderTime } from '../platform/provider-time.ts';
import { describeFailure, failureOf, ProviderFailure, refusalOfResponse } from '../providers/failures.ts';
import { readResponse } from '../providers/http/read-text.ts';
import type { ClientHeaders } from '../providers/wire.ts';
import type { Candidate } from './candidates.ts';
import { connect, failedProvider } from './connection.ts';
import { readableAfter } from './readable-request.ts';

/**
 * Returns the token count from the first candidate that can express the prompt and does not fail.
 * @returns undefined if the candidate cannot count tokens, or its response is not a count
 * @throws {GatewayError} 400 if no candidate can express the prompt
 * @throws {ProviderFailure} the failure of the provider
 */
export async function countAtFirst(
  candidates: readonly Candidate[],
  request: MessagesRequest,
  client: ClientHeaders,
  providerTime?: ProviderTime,
): Promise<number | undefined> {
  let problem: unknown;
  for (const candidate of candidates) {
    try {
      return await countUpstream(candidate, request, client, { providerTime });
    } catch (error) {
      if (error instanceof ProviderFailure) alarmAbout(error, candidate);
      if (error instanceof ProviderFailure && !error.mayTryAnother) throw error;
      // Another endpoint may have a provider format (wire) that can express the prompt. A provider's error is reported
      // in preference to an encoding error.
      problem = error instanceof ProviderFailure ? error : (problem ?? error);
    }
  }
  throw problem;
}

function alarmAbout(failure: ProviderFailure, { model, endpoint }: Candidate): void {
  alarmOperator(failure, { provider: endpoint.provider.id, model: model.id, ...describeFailure(failure) });
}

const MAX_BODY_BYTES = 64 * 1024;
const UPSTREAM_COUNT_TIMEOUT_MS = 20_000;

interface CountOptions {
  timeoutMs?: number;
  /**
   * Measures the time that the provider takes. Undefined if a request to the model follows, which measures the time
   * itself.
   */
  providerTime?: ProviderTime | undefined;
}

/**
 * Requests the token count of a prompt from the provider.
 * @returns undefined if the provider cannot count tokens, or its response is not a count
 * @throws {GatewayError} 400 if the candidate cannot express the prompt
 * @throws {ProviderFailure} if the provider rejects the request or cannot be reached, or its response is not JSON
 */
export async function countUpstream(
  candidate: Candidate,
  request: MessagesRequest,
  client: ClientHeaders,
  { timeoutMs = UPSTREAM_COUNT_TIMEOUT_MS, providerTime }: CountOptions = {},
): Promise<number | undefined> {
  const { target, wire } = candidate;
  const encoded = wire.encodeCount(request, target, client);
  if (!encoded) return undefined;
  try {
    const connection = connect(candidate, encoded, AbortSignal.timeout(timeoutMs));
    const response = await connection.send(encoded.body, () => providerTime?.sent());
    const text = await readResponse(response, MAX_BODY_BYTES);
    providerTime?.received();
    if (response.status !== 200) throw refusalOfResponse(response, text, failedProvider(candidate));
    const counted = wire.readCount(JSON.parse(text));
    return Number.isSafeInteger(counted) && (counted as number) > 0 ? (counted as number) : undefined;
  } catch (error) {
    providerTime?.received();
    const readable = readableAfter(error, request);
    if (readable) return countUpstream(candidate, readable, client, { timeoutMs, providerTime });
    throw failureOf(error, failedProvider(candidate));
  }
}
