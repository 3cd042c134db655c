import type { WireOf } from '../../catalog/wires.ts';
import type { QuirksOf } from '../../catalog/quirk-schemas.ts';
import type { DecisionEngine } from './engine.ts';
import { logprobsEngine } from './logprobs.ts';
import { nativeEngine } from './native.ts';
import { statedEngine } from './stated.ts';

export const decisionEngines: { [Name in WireOf<'decisions'>]: DecisionEngine<QuirksOf<Name>> } = {
  'decisions-native': nativeEngine,
  'decisions-logprobs': logprobsEngine,
  'decisions-stated': statedEngine,
};
