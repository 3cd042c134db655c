import type { Catalog } from '../../catalog/catalog.ts';
import type { SearchBackend } from '../../catalog/search.ts';
import { log } from '../../platform/logger.ts';
import { alarmOperator } from '../../platform/operator-alarm.ts';
import { readProviderKey } from '../../platform/secrets/secrets.ts';
import type { OpenBackend, SearchErrorCode } from '../backend.ts';
import { queryBackend, type BackendLimits } from '../backend-http.ts';
import { finishedHits } from '../hits.ts';
import { countQueryWords } from '../query-length.ts';
import type { BackendKind } from './kind.ts';

/**
 * Opens the backends whose credential is set (if needed), in the order of the catalog. Stand-ins (`stand_in`) are used
 * only if no other backend can be used, so that they hide no failures.
 * @param exclusionOf returns the reason why a backend must not get this query, or undefined
 */
export async function openBackends(
  { search }: Catalog,
  exclusionOf: (backend: SearchBackend) => string | undefined,
): Promise<OpenBackend[]> {
  const ready = (await Promise.all((search?.backends ?? []).map(readyBackend))).filter((one) => one !== undefined);
  const real = ready.filter(({ backend }) => !backend.data.stand_in);
  return (real.length > 0 ? real : ready)
    .filter(({ backend }) => exclusionOf(backend) === undefined)
    .map(({ backend, credential }) => openBackend(backend, credential));
}

interface Ready {
  backend: SearchBackend;
  /** Undefined if the backend needs no credential. */
  credential: string | undefined;
}

async function readyBackend(backend: SearchBackend): Promise<Ready | undefined> {
  const { credential: variable } = backend.data;
  const credential = variable ? await readProviderKey(variable) : undefined;
  return variable && !credential ? undefined : { backend, credential };
}

/**
 * Opens a backend. Its searches never throw.
 * @param limits limits on time and size, for tests
 */
export function openBackend(
  backend: SearchBackend,
  credential: string | undefined,
  limits?: BackendLimits,
): OpenBackend {
  return {
    id: backend.id,

    async search(query, signal) {
      const { kinds } = await import('./kinds.ts');
      const kind = kinds[backend.kind];
      if (countQueryWords(query.text) > kind.maxWords) return { error: 'query_too_long' };
      const request = kind.request(query, { credential, folder: backend.folder });
      const reply = await queryBackend(backend.baseUrl, request, signal, limits);
      const outcome = 'text' in reply ? kind.read(reply.text) : { error: errorOf(reply) };
      if ('hits' in outcome) return { hits: finishedHits(outcome.hits, query) };
      if (!isGivenUpByCaller(signal)) {
        const about = 'text' in reply ? { reason: `answered ${outcome.error}` } : { reason: reply.failure };
        const status = 'status' in reply ? { status: reply.status } : {};
        log('warn', 'search backend failed', { provider: backend.id, ...about, ...status });
        if ('failure' in reply && needsOperator(reply, kind))
          alarmOperator({ fault: 'operator' }, { provider: backend.id, ...status });
      }
      return outcome;
    },
  };
}

/**
 * Whether the caller has cancelled a search. After a timeout, the result is false, because the backend was too slow.
 */
function isGivenUpByCaller({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
}

/** Whether only the operator can fix the failure: the key is invalid, or the account has no money. */
function needsOperator(
  { status = 0, headers }: { status?: number; headers?: Headers },
  { refusals = [], isQuotaUsedUp }: BackendKind,
): boolean {
  const isUsedUp = status === 429 && headers !== undefined && isQuotaUsedUp?.(headers) === true;
  return isUsedUp || [401, 402, 403, ...refusals].includes(status);
}

function errorOf({ status }: { status?: number }): SearchErrorCode {
  return status === 429 ? 'too_many_requests' : 'unavailable';
}
