import { linesOf, provesItsPrice, type GenerationLine } from '../../accounting/generation-lines.ts';
import type { FinalGeneration } from '../../accounting/daily-sums.ts';
import { costOfUnits } from '../../accounting/price.ts';
import type { PastRequest } from '../../store/generations/request-history.ts';
import { listedRequest } from './list-view.ts';
import type { RequestRecordBody } from './shape.ts';
import { generationView } from './view.ts';

/** Returns the data of a request that its account may read: the record, and the calculation of its price. */
export function requestRecordView(past: PastRequest): RequestRecordBody {
  const request = listedRequest(past);
  const unpriced = { request, generation: null, price_lines: [], proven: null };
  if ('refusal' in past) return { ...unpriced, held_rub: null };
  const { generation } = past;
  const held = generation.hold.scopes.length === 0 ? null : generation.hold.amount;
  if (generation.state !== 'final') return { ...unpriced, held_rub: held };
  const final = generation as FinalGeneration;
  const lines = linesOf(final);
  return {
    request,
    generation: generationView(generation),
    held_rub: held,
    price_lines: lines.map(lineView),
    proven: provesItsPrice(final, lines),
  };
}

function lineView({ round, units, tierAboveTokens, cut, cost }: GenerationLine) {
  return {
    round,
    units: units.map((unit) => ({
      meter: unit.meter,
      quantity: unit.quantity,
      price_rub: unit.price,
      cost_rub: costOfUnits([unit]),
    })),
    tier_above_tokens: tierAboveTokens ?? null,
    cut_rub: cut,
    cost_rub: cost,
  };
}
