/** Record of one inference request, from admission (pending) to settlement (final). */

import { promptPieces } from '../../catalog/unit-lists.ts';
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

/** Maximum number of service holds. A request cannot name that many models. */
const MAX_SERVICE_HOLDS = 8;

export const holdRecord = record({
  amount: named('amount_rub', money('hold_rub')),
  steps: named('steps', count('hold_steps')),
  scopes: named('scopes', heldScopesField),
  /** Holds on the service's own budgets for free models; empty if no free model may serve the request. */
  serviceHolds: list('service_holds', serviceHoldRecord, MAX_SERVICE_HOLDS),
  /**
   * Counts of the key's requests that include this request; empty if the key limits neither requests, tokens nor
   * running requests.
   */
  rateHolds: rateHoldsField,
});

/** Hold of a pending generation: its amount, the number of its steps, and the kinds of scopes in which it is held. */
export type Hold = RecordOf<typeof holdRecord>;

const estimateRecord = record({
  tokens: count('input_tokens_estimate'),
  /** Other units of the prompt, such as characters; absent if it has only tokens. */
  units: optional(nested('input_units_estimate', record(unitFields(promptPieces)))),
  cost: money('input_cost_estimate_rub'),
});

/** Estimated units of a prompt, and their price. */
export type InputEstimate = RecordOf<typeof estimateRecord>;

const leasedRecord = record({ id: text('lease_id'), amount: money('leased_rub') });

const generationFields = {
  id: text('id'),
  payer: part(payerRecord),
  apiType: oneOf('api_type', apiTypes),
  /**
   * Model and endpoint of the first candidate (the endpoint that is tried first). The outcome has the endpoint that
   * answered.
   */
  ...routeFields,
  streamed: flag('streamed'),
  createdAtMs: instant('created_at'),
  hold: part(holdRecord),
  /** Lease from which the first hold was taken, and the amount taken (leases.ts). Absent without a lease. */
  lease: optional(part(leasedRecord)),
  tags: requestTagsField,
  /** Estimated units of the prompt and their cost, charged if the handler dies before it has measured anything. */
  inputEstimate: part(estimateRecord),
};

const pendingRecord = record({
  ...generationFields,
  /** Prices of the first candidate, fixed at admission. */
  pricing: pricesField('prices'),
  /** Version of the catalog files from which the prices were read. */
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
  /** Set only while the generation is pending, like `sweepAtMs`. */
  bootId: optional(text('boot_id')),
  sweepAtMs: optional(instant(indexes.sweep.sort)),
  /**
   * Whether the sweep settled the generation with an estimate, and the outcome was not corrected since. A late message
   * of the request's handler may then correct it once.
   */
  swept: flag('swept'),
  /**
   * Whether the stored measurement is the last one. If so, and the generation is still pending, the message for its
   * settlement was lost or is late.
   */
  complete: flag('complete'),
  catalogVersion: optional(text('catalog_version')),
  /** Time at which the generation became final or was corrected. */
  settledAtMs: optional(instant('settled_at')),
  /** Amount that a correction has added to the sweep's estimate. */
  correction: optional(money('correction_rub')),
});

/** Attributes of a generation, including the outcome of a final generation, in the table and in exports. */
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

/** Attributes that only a pending generation has. */
export const whilePending = [
  'checkpoint',
  'complete',
  'boot_id',
  indexes.sweep.partition,
  indexes.sweep.sort,
  ...estimateRecord.attributes.map(({ name }) => name),
];
