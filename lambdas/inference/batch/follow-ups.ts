/** Polls the jobs that a provider runs for an answer, and downloads the answer's files. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { FetchError } from '../../platform/fetch/fetch-faults.ts';
import { readPublicUrl } from '../../platform/fetch/public-url.ts';
import { fetchPublic } from '../../platform/fetch/safe-fetch.ts';
import type { FollowUps } from '../../providers/batch-engine.ts';
import { refusalOfResponse } from '../../providers/failures.ts';
import { parsedAnswer } from '../../providers/http/parsed-answer.ts';
import { readResponse } from '../../providers/http/read-text.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import { connect, failedProvider } from '../../routing/connection.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { AttemptLog } from '../attempt-log.ts';

const FIRST_POLL_PAUSE_MS = 250;
const MAX_POLL_PAUSE_MS = 2_000;
const MAX_POLL_BYTES = 48 * 1024 * 1024;
const DOWNLOAD_WITHIN_MS = 60_000;
const FILE_TYPES = ['image/*', 'application/octet-stream', 'binary/octet-stream'];
const MAX_FAILED_POLLS = 5;

interface FollowedAttempt {
  candidate: UsableEndpoint;
  signal: AbortSignal;
  log: AttemptLog;
}

export function followUpsOf(exchange: FollowedAttempt): FollowUps {
  let pauseMs = FIRST_POLL_PAUSE_MS;
  return {
    async poll(place, ownDomain) {
      const { at, path } = jobPlace(place, exchange.candidate, ownDomain);
      for (let failed = 0; ; failed += 1) {
        await sleep(pauseMs, undefined, { signal: exchange.signal });
        pauseMs = Math.min(pauseMs * 2, MAX_POLL_PAUSE_MS);
        try {
          return await readState(at, path, exchange);
        } catch (error) {
          // Polls again after a failed poll, because the provider's job continues.
          const isTooLarge = error instanceof UpstreamError && error.failure === 'too_large';
          if (failed === MAX_FAILED_POLLS || isTooLarge || exchange.signal.aborted) throw error;
        }
      }
    },
    async download(url, maxBytes) {
      const { signal, log } = exchange;
      const rules = {
        maxBytes,
        timeoutMs: DOWNLOAD_WITHIN_MS,
        mediaTypes: FILE_TYPES,
        allowLoopback: isOnOwnMachine(),
      };
      const file = await fetchPublic(url, { ...rules, signal }).finally(() => log.received());
      if (file.ok) return file.bytes;
      const failure = file.reason === 'too_large' ? 'too_large' : file.reason === 'cancelled' ? 'aborted' : 'broken';
      throw new UpstreamError(failure, 'The file of the provider could not be fetched', new FetchError(file.reason));
    },
  };
}

async function readState(at: UsableEndpoint, path: string, { signal, log }: FollowedAttempt): Promise<unknown> {
  signal.throwIfAborted();
  const response = await connect(at, { method: 'GET', path, headers: {} }, signal).send('');
  const text = await readResponse(response, MAX_POLL_BYTES).finally(() => log.received());
  if (response.status === 200) return parsedAnswer(text);
  throw refusalOfResponse(response, text, failedProvider(at));
}

/**
 * Returns the endpoint and the path to poll. Only the provider's own hosts get the credential.
 * @throws {UpstreamError} for any other URL
 */
function jobPlace(
  place: string,
  candidate: UsableEndpoint,
  ownDomain: string | undefined,
): { at: UsableEndpoint; path: string } {
  if (place.startsWith('/')) return { at: candidate, path: place };
  const { provider } = candidate.endpoint;
  const own = new URL(provider.baseUrl);
  const url = readPublicUrl(place, { allowLoopback: own.protocol === 'http:' });
  const isOwn = typeof url !== 'string' && (url.origin === own.origin || isHostWithin(url.hostname, ownDomain));
  if (!isOwn) throw new UpstreamError('malformed', 'The provider named a job at another host');
  const moved = { ...candidate.endpoint, provider: { ...provider, baseUrl: url.origin } };
  return { at: { ...candidate, endpoint: moved }, path: `${url.pathname}${url.search}` };
}

function isHostWithin(host: string, domain: string | undefined): boolean {
  return domain !== undefined && (host === domain || host.endsWith(`.${domain}`));
}
