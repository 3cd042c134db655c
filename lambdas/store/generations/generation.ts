/** Record of one inference request, from admission (pending) to settlement (final). */

import { estimatedUnits } from '../../catalog/unit-lists.ts';
import { apiTypes } from '../../catalog/wires.ts';
import { serviceHoldRecord } from '../counters/service-budgets.ts';
import { rateHoldsField } from '../counters/key-rates.ts';
import { heldScopesField } from '../counters/tag-scopes.ts';
import { outcomeRecord, routeFields, unitFields, type Outcome } from './outcome.ts';
import { payerRecord } from '../accounts/payer.ts';
import { pricesField } from './prices.ts';
import { requestTagsField } from './request-tags.ts';
import {
  count,
  flag,
  instant,
  list,
  money,
  named,
  nested,
  oneOf,
  optional,
  part,
  record,
  text,
  type RecordOf,
} from '../table/record.ts';
import { indexes, type Item } from '../table/table.ts';

const MAX_SERVICE_HOLDS = 8;

export const holdRecord = record({
  amount: named('amount_rub', money('hold_rub')),
  steps: named('steps', count('hold_steps')),
  scopes: named('scopes', heldScopesField),
  /** Holds on the service's own budgets for free models. */
  serviceHolds: list('service_holds', serviceHoldRecord, MAX_SERVICE_HOLDS),
  rateHolds: rateHoldsField,
});

export type Hold = RecordOf<typeof holdRecord>;

const estimateRecord = record({
  tokens: count('input_tokens_estimate'),
  /** Counts of the prompt's other units; absent if the prompt has only tokens of text. */
  units: optional(nested('input_units_estimate', record(unitFields(estimatedUnits)))),
  cost: money('input_cost_estimate_rub'),
});

export type InputEstimate = RecordOf<typeof estimateRecord>;

const leasedRecord = record({ id: text('lease_id'), amount: money('leased_rub') });

const generationFields = {
  id: text('id'),
  payer: part(payerRecord),
  apiType: oneOf('api_type', apiTypes),
  /** Model, endpoint and provider of the first candidate. The outcome names the endpoint that answered. */
  ...routeFields,
  streamed: flag('streamed'),
  createdAtMs: instant('created_at'),
  hold: part(holdRecord),
  /** Lease from which the first hold was taken, and the amount taken. */
  lease: optional(part(leasedRecord)),
  tags: requestTagsField,
  /** Estimate of the prompt, which is charged if the handler dies before it has measured anything. */
  inputEstimate: part(estimateRecord),
};

const pendingRecord = record({
  ...generationFields,
  /** Prices of the first candidate, fixed at admission. */
  pricing: pricesField('prices'),
  catalogVersion: text('catalog_version'),
  bootId: text('boot_id'),
  sweepAtMs: instant(indexes.sweep.sort),
});
type PendingFields = RecordOf<typeof pendingRecord>;
type Optional = 'lease' | 'tags';
export type PendingGeneration = Omit<PendingFields, Optional> & Partial<Pick<PendingFields, Optional>>;

export function pendingAttributes(generation: PendingGeneration): Item {
  return pendingRecord.toItem({ lease: undefined, tags: undefined, ...generation });
}

const generationRecord = record({
  ...generationFields,
  state: oneOf('state', ['pending', 'final']),
  bootId: optional(text('boot_id')),
  sweepAtMs: optional(instant(indexes.sweep.sort)),
  /**
   * Whether the sweep settled the generation with an estimate, and the outcome was not corrected since. A late message
   * may then correct it once.
   */
  swept: flag('swept'),
  /** Whether the stored measurement is the last one. */
  complete: flag('complete'),
  catalogVersion: optional(text('catalog_version')),
  /** Time at which the generation became final or was corrected. */
  settledAtMs: optional(instant('settled_at')),
  /**
   * Corrected cost minus the estimate that the worker sweep-holds had charged; negative if the estimate was too high.
   */
  correction: optional(money('correction_rub')),
});

/** Attributes of stored generations, including the outcome of a final generation. */
export const generationAttributes = [
  ...generationRecord.attributes,
  ...outcomeRecord.attributes.filter(({ name }) => !generationRecord.attributes.some((known) => known.name === name)),
];

export interface Generation extends RecordOf<typeof generationRecord> {
  /** Latest measurement of a pending generation, or outcome of a final generation. */
  outcome: Outcome | undefined;
}

export function generationFrom(item: Item): Generation {
  const generation = generationRecord.from(item);
  const measured = (generation.state === 'final' ? item : item['checkpoint']) as Item | undefined;
  return { ...generation, outcome: measured && outcomeRecord.from(measured) };
}

export const whilePending = [
  'checkpoint',
  'complete',
  'boot_id',
  indexes.sweep.partition,
  indexes.sweep.sort,
  ...estimateRecord.attributes.map(({ name }) => name),
];
