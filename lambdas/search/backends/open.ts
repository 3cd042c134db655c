import type { Catalog } from '../../catalog/catalog.ts';
import type { SearchBackend } from '../../catalog/search.ts';
import { log } from '../../platform/logger.ts';
import { readProviderKey } from '../../platform/secrets/secrets.ts';
import type { OpenBackend, SearchErrorCode } from '../backend.ts';
import { queryBackend, type BackendLimits } from '../backend-http.ts';
import { finishedHits } from '../hits.ts';
import { countQueryWords } from '../query-length.ts';

/**
 * Opens the backends that can be used now, in the order of the catalog. Backends whose credential is not set are
 * skipped.
 * Stand-ins (`stand_in`) are used only if no other backend can be used, so that a stand-in never hides the failure of
 * another backend.
 * @param exclusionOf returns the reason why a backend must not get this query; undefined if the backend may get it
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
  /** Credential of the backend; undefined if it needs none. */
  credential: string | undefined;
}

async function readyBackend(backend: SearchBackend): Promise<Ready | undefined> {
  const { credential: variable } = backend.data;
  const credential = variable ? await readProviderKey(variable) : undefined;
  return variable && !credential ? undefined : { backend, credential };
}

/** @param limits limits on time and size, which only tests set */
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
      }
      return outcome;
    },
  };
}

/**
 * Returns whether the caller aborted the search. If the timeout aborted it, the backend was too slow, and the result is
 * false.
 */
function isGivenUpByCaller({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
}

function errorOf({ status }: { status?: number }): SearchErrorCode {
  return status === 429 ? 'too_many_requests' : 'unavailable';
}
