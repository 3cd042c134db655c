import type { ChangeContext } from '../../../lambdas/management/change.ts';
import type { Row } from '../../shared/output.ts';
import { recomputeCounters, type RecomputeOptions } from './recompute-counters.ts';
import { recomputeRunning } from './recompute-running.ts';

/**
 * Corrects the spending counters and the counts of running requests of an account. If one of the two parts fails, the
 * other part still runs, and the corrections are printed.
 * @throws {Error} the failure of a part; an AggregateError if both parts failed
 */
export async function recompute(
  context: ChangeContext,
  { print, ...options }: RecomputeOptions & { print: (rows: Row[]) => void },
): Promise<void> {
  const rows: Row[] = [];
  const failures: unknown[] = [];
  for (const part of [counterRows(context, options), runningRows(context)]) {
    try {
      for await (const row of part) rows.push(row);
    } catch (error) {
      failures.push(error);
    }
  }
  print(rows);
  if (failures.length > 1) throw new AggregateError(failures, 'Neither counters nor running requests were recomputed.');
  if (failures.length === 1) throw failures[0];
}

async function* counterRows(context: ChangeContext, options: RecomputeOptions): AsyncGenerator<Row, void> {
  for await (const { kind, id, window, what, counted, recorded } of recomputeCounters(context, options)) {
    yield { scope: kind, window, what, was: String(counted), is: String(recorded), id };
  }
}

async function* runningRows(context: ChangeContext): AsyncGenerator<Row, void> {
  for await (const { keyHash: id, part, counted, recorded } of recomputeRunning(context)) {
    const is = recorded === undefined ? 'not measurable now, busy' : String(recorded);
    yield { scope: 'key', window: 'now', what: `running requests, part ${part}`, was: String(counted), is, id };
  }
}
