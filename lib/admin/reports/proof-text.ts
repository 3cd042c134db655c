import { isProven, type Statement } from '../../../lambdas/books/statement.ts';

/** In one line: what was compared, and whether it agrees. */
export function proofText({ proofs, records, pending, period, only }: Statement): string {
  const told = proofs.map(({ source, agrees, says }) => {
    const verdict = agrees === undefined ? 'not compared' : agrees ? 'agrees' : 'DOES NOT AGREE';
    return `${source.replace('_', ' ')}: ${verdict} (${says})`;
  });
  const open = pending.generations === 0 ? '' : `; ${pending.generations} are not settled yet and in no sum`;
  const part = only.length === 0 ? '' : ` of ${only.join(' and ')} alone`;
  const days = `${period.from} to ${period.to} (${period.zone})`;
  if (records === 0) return `nothing to prove: there is no record${part} of ${days}`;
  const verdict = isProven({ proofs }) ? 'proven' : 'NOT PROVEN';
  return `${verdict}: ${records} ${records === 1 ? 'record' : 'records'}${part} of ${days}${open}; ${told.join('; ')}`;
}
