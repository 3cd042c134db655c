import type { Money } from '../../money/money.ts';
import { generationKey } from './generation-key.ts';
import { outcomeRecord, type Outcome } from './outcome.ts';
import { readItem } from '../table/query.ts';
import { instant, money, nested, record, text } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, type Key, type Write } from '../table/writes.ts';

/** Why a final generation was changed. `late_settlement`: the sweep had estimated it before. */
type CorrectionCause = 'late_settlement';

/** A final generation whose estimated outcome is replaced by the real one. */
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

/** Writes the correction next to its generation, with both outcomes in full. A generation can only have one. */
export function correctionPut(table: Table, correction: Correction, atMs: number): Write {
  const { accountId, generationId } = correction;
  return putNew(table, {
    ...correctionKey(accountId, generationId),
    entity: 'correction',
    ...correctionRecord.toItem({ ...correction, difference: difference(correction), createdAtMs: atMs }),
  });
}

/** The correction of a generation; undefined if there was none. */
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

/** Amount that a correction adds to the spending; negative if the estimate was too high. */
export function difference({ before, after }: Pick<Correction, 'before' | 'after'>): Money {
  return after.cost.minus(before.cost);
}
