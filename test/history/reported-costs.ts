import type { Difference } from './counter-books.ts';
import { picoIn, picoOf, roublesOf, textIn, type RawItem } from './raw-table.ts';

export interface ReportedCost {
  generationId: string;
  kind: string;
  /** Cost in roubles with the digits of the response; undefined if the response is incomplete or has no cost. */
  cost: string | undefined;
  /** End of the response, by this machine's clock. */
  readAtMs: number;
  /** Requests with the same idempotency key are charged once. */
  idempotencyKey: string | undefined;
}

/** Period with a constant offset between the gateway's clock and this machine's clock. */
export interface ClockSpan {
  fromMs: number;
  offsetMs: number;
}

/**
 * Costs in responses that differ from the records because a process was killed (docs/guarantees.md): records with a
 * lower cost, with a higher cost, and without a cost yet.
 */
export interface SweptAfterReport {
  lower: number;
  higher: number;
  pending: number;
}

export interface CostComparison {
  compared: number;
  swept: SweptAfterReport;
  differences: Difference[];
}

/** Maximum time in ms between the end of a response at the server and the moment at which the client has read it. */
const READING_MS = 500;

export function compareReported(
  items: readonly RawItem[],
  reported: readonly ReportedCost[],
  clocks: readonly ClockSpan[],
): CostComparison {
  const records = new Map(
    items.filter(({ entity }) => entity === 'generation').map((item) => [textIn(item, 'id'), item]),
  );
  const comparison: CostComparison = { compared: 0, swept: { lower: 0, higher: 0, pending: 0 }, differences: [] };
  for (const answer of reported) {
    if (answer.cost !== undefined) compareOne(comparison, { ...answer, cost: answer.cost }, records, clocks);
  }
  comparison.differences.push(...chargedTwice(reported, records));
  return comparison;
}

function compareOne(
  comparison: CostComparison,
  { generationId, kind, cost, readAtMs }: ReportedCost & { cost: string },
  records: ReadonlyMap<string, RawItem>,
  clocks: readonly ClockSpan[],
): void {
  const { swept, differences } = comparison;
  comparison.compared += 1;
  const record = records.get(generationId);
  const where = `${kind} ${generationId}`;
  if (!record) return void differences.push({ kind: 'no record', where, stored: 'none', expected: cost });
  if (record['state'] === 'pending') return void (swept.pending += 1);
  const [charged, expected] = [picoIn(record, 'total_cost_rub'), picoOf(cost)];
  if (charged === expected) return;
  const isSwept = record['swept'] === true;
  const settledAtMs = machineTimeOf(Date.parse(textIn(record, 'settled_at')), clocks);
  if (isSwept && readAtMs < settledAtMs + READING_MS) {
    swept[charged < expected ? 'lower' : 'higher'] += 1;
    return;
  }
  differences.push({
    kind: isSwept ? 'swept while it was answered' : 'reported cost',
    where,
    stored: roublesOf(charged),
    expected: cost,
  });
}

export function machineTimeOf(gatewayMs: number, clocks: readonly ClockSpan[]): number {
  const at = clocks.findLast(({ fromMs, offsetMs }) => gatewayMs - offsetMs >= fromMs) ?? clocks[0];
  return gatewayMs - (at?.offsetMs ?? 0);
}

/** Returns the idempotency keys for which several generations were charged. */
function chargedTwice(reported: readonly ReportedCost[], records: ReadonlyMap<string, RawItem>): Difference[] {
  const byKey = Map.groupBy(
    reported.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    ({ idempotencyKey }) => idempotencyKey!,
  );
  return [...byKey].flatMap(([key, answers]) => {
    const ids = [...new Set(answers.map(({ generationId }) => generationId))];
    const charged = ids.filter((id) => picoIn(records.get(id) ?? {}, 'total_cost_rub') > 0n);
    return charged.length <= 1
      ? []
      : [{ kind: 'charged twice', where: key, stored: charged.join(', '), expected: 'one generation' }];
  });
}
