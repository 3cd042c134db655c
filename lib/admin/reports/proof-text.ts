import { isProven, type Statement } from '../../../lambdas/books/statement.ts';

/** Returns the results of the statement's proofs as one line. */
export function proofText({ proofs, records, pending, period, only }: Statement): string {
  const comparisons = proofs.map(({ source, agrees, says }) => {
    const verdict = agrees === undefined ? 'not compared' : agrees ? 'agrees' : 'DOES NOT AGREE';
    return `${source.replace('_', ' ')}: ${verdict} (${says})`;
  });
  const open = pending.generations === 0 ? '' : `; ${pending.generations} are not settled yet and not included`;
  const part = only.length === 0 ? '' : ` (only ${only.join(' and ')})`;
  const days = `from ${period.from} to ${period.to} (${period.zone})`;
  if (records === 0) return `nothing to prove: there are no records${part} ${days}`;
  const verdict = isProven({ proofs }) ? 'proven' : 'NOT PROVEN';
  return `${verdict}: ${records} ${records === 1 ? 'record' : 'records'}${part} ${days}${open}; ${comparisons.join('; ')}`;
}
