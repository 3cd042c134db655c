import type { Money } from '../../money/money.ts';
import { generationKey } from './generation-key.ts';
import { outcomeRecord, type Outcome } from './outcome.ts';
import { readItem } from '../table/query.ts';
import { instant, money, nested, record, text } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, type Key, type Write } from '../table/writes.ts';

/** Cause of a correction. `late_settlement`: the sweep had settled the generation earlier, with an estimate. */
type CorrectionCause = 'late_settlement';

export interface Correction {
  accountId: string;
  generationId: string;
  cause: CorrectionCause;
  before: Outcome;
  after: Outcome;
}

const correctionRecord = record({
  accountId: text('account_id'),
  generationId: text('generation_id'),
  cause: text('cause'),
  difference: money('correction_rub'),
  before: nested('before', outcomeRecord),
  after: nested('after', outcomeRecord),
  createdAtMs: instant('created_at'),
});

export const correctionAttributes = correctionRecord.attributes;

/** Returns the write of a correction. It fails if the generation already has a correction. */
export function correctionPut(table: Table, correction: Correction, atMs: number): Write {
  const { accountId, generationId } = correction;
  return putNew(table, {
    ...correctionKey(accountId, generationId),
    entity: 'correction',
    ...correctionRecord.toItem({ ...correction, difference: difference(correction), createdAtMs: atMs }),
  });
}

export async function readCorrection(
  table: Table,
  accountId: string,
  generationId: string,
): Promise<Pick<Correction, 'before' | 'after'> | undefined> {
  const item = await readItem(table, correctionKey(accountId, generationId));
  return item && correctionRecord.from(item);
}

function correctionKey(accountId: string, generationId: string): Key {
  return { pk: generationKey(accountId, generationId).pk, sk: `${generationId}#CORRECTION` };
}

/** Returns the corrected cost minus the estimated cost; negative if the estimate was too high. */
export function difference({ before, after }: Pick<Correction, 'before' | 'after'>): Money {
  return after.cost.minus(before.cost);
}
