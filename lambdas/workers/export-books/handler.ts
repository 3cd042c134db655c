import { exportDays } from '../../books/export-days.ts';
import { optionalVariable, requireVariable, variables } from '../../platform/environment.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import { openTableExports } from '../../store/table/table-export.ts';
import type { WorkerContext } from '../worker-context.ts';

const exports = openTableExports();

/** Exports the books. Does nothing without a bucket, as on a local gateway. */
export async function handler(_event?: unknown, context?: Partial<WorkerContext>): Promise<{ begun: string[] }> {
  const bucket = optionalVariable(variables.booksBucket);
  if (bucket === undefined) return { begun: [] };
  const begun = await exportDays(resources.table(), exports, { bucket, tableArn: requireVariable(variables.tableArn) });
  if (begun.length > 0)
    log('info', 'export of the books begun', {
      worker: 'export-books',
      awsRequestId: context?.awsRequestId,
      count: begun.length,
    });
  return { begun };
}
