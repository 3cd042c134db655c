import type { Command } from 'commander';
import type { Catalog } from '../../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../../lambdas/catalog/load.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { lastFailureMs } from '../../../lambdas/routing/recent-attempts.ts';
import { KEEP_REPORTS_MS, readReports } from '../../../lambdas/store/statistics/endpoint-health.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { providerStates } from '../../shared/callable.ts';
import { holdsData } from '../../shared/data-directory/private-files.ts';
import { LocalState } from '../../shared/data-directory/state.ts';
import { withTable, type ConnectionOptions } from '../session/connection.ts';
import { print, type Row } from '../../shared/output.ts';

export function addProviderCommand(program: Command): void {
  program
    .command('providers')
    .description(
      'list providers with the variables that each needs, whether they are set in this shell, and the last failure',
    )
    .argument('[dir]', 'directory of a catalog; default: the catalog that comes with the code')
    .action(async (directory: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ConnectionOptions & { json: boolean }>();
      const catalog = loadCatalog(directory);
      const failedAtMs = await lastFailures(catalog, options);
      const rows = providerStates(catalog).map(({ id, name, variable, state, models }): Row => {
        const atMs = failedAtMs.get(id);
        return {
          id,
          name,
          variable: variable ?? null,
          state,
          models,
          last_failure_at: atMs === undefined ? null : new Date(atMs).toISOString(),
        };
      });
      print(rows, options.json);
    });
}

/** Maximum number of failure reports to read, newest first. */
const MAX_REPORTS = 500;

/**
 * Returns the time of each provider's last failure in the last hour, from failure reports; empty if there is no table.
 */
async function lastFailures(catalog: Catalog, options: ConnectionOptions): Promise<Map<string, number>> {
  if (!options.table && !holdsData(LocalState.at(options.data).directory)) return new Map();
  return withTable({ ...options, mayCreate: false }, (table) => readFailures(catalog, table));
}

async function readFailures({ models }: Catalog, table: Table): Promise<Map<string, number>> {
  const now = nowMs();
  const reports = await readReports(table, { fromMs: now - KEEP_REPORTS_MS, toMs: now, limit: MAX_REPORTS });
  const providerOf = new Map(
    models.flatMap(({ endpoints }) => endpoints.map(({ id, provider }) => [id, provider.id] as const)),
  );
  const failedAtMs = new Map<string, number>();
  for (const { attempts } of reports) {
    for (const [endpointId, bins] of Object.entries(attempts)) {
      const provider = providerOf.get(endpointId);
      const atMs = lastFailureMs(bins);
      if (provider === undefined || atMs === undefined) continue;
      failedAtMs.set(provider, Math.max(atMs, failedAtMs.get(provider) ?? 0));
    }
  }
  return failedAtMs;
}
