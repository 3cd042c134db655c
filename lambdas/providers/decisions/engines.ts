import type { Wire, WireOf } from '../../catalog/wires.ts';
import type { QuirksOf } from '../../catalog/quirk-schemas.ts';
import type { DecisionEngine } from './engine.ts';
import { logprobsEngine } from './logprobs.ts';
import { nativeEngine } from './native.ts';
import { statedEngine } from './stated.ts';

const engines: { [Name in WireOf<'decisions'>]: DecisionEngine<QuirksOf<Name>> } = {
  'decisions-native': nativeEngine,
  'decisions-logprobs': logprobsEngine,
  'decisions-stated': statedEngine,
};

/** How a wire decides; undefined for wires of other kinds of models. */
export function decisionEngine(wire: Wire): DecisionEngine | undefined {
  return Object.hasOwn(engines, wire) ? engines[wire as WireOf<'decisions'>] : undefined;
}
