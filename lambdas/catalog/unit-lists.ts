/** Names of billing units as types, and lists of units by category. */

import { unitTable } from './billing-units.ts';
import type { UnitEntry } from './unit-entry.ts';

type Entry = (typeof unitTable)[number];
type Recorded = Extract<Entry, { record: unknown }>;
type Piece = Extract<Entry, { part: 'piece' }>;
type Part = Exclude<Extract<Recorded, { part: 'prompt' | 'completion' }>, Piece>;
type PerGeneration = Extract<Entry, { per: 'generation' }>;

export type Meter = Entry['meter'];
/** Names of prices. `prompt` and `completion` are the prices of tokens that no other unit covers. */
export type PriceName = Entry['prices'][0] | RestPriceName;
type RestPriceName = Extract<Entry, { rest: unknown }>['rest']['price'];
/** Prices that depend on a model's options (`perModel`). */
export type ModelPriceName = Extract<Entry, { perModel: true }>['prices'][0];
type TotalName = 'prompt' | 'completion';
export type PartPriceName = Part['prices'][0] | RestPriceName;
export type OtherPriceName = Exclude<PriceName, TotalName | PartPriceName | ModelPriceName>;
/** Fields in which a usage contains the counts. */
export type UsageField = Extract<Entry, { usage: unknown }>['usage'];
export type PieceField = Piece['usage'];
/**
 * Record fields with one count for the whole generation. The fields in RoundField have one count per request to a
 * provider.
 */
export type GenerationField = PerGeneration['record'][0];
export type RoundField = Exclude<Recorded['record'][0], GenerationField>;

/** A unit of the table, with literal types for its names. */
type Named<Of extends UnitEntry> = Of & {
  readonly meter: Meter;
  readonly prices: readonly [PriceName, ...PriceName[]];
};
export type CountedUnit = Named<Exclude<UnitEntry, { part: 'fee' }>> & { readonly usage: UsageField };
export type TokenUnit = Extract<CountedUnit, { part: 'prompt' | 'completion' }> & {
  readonly rest?: { readonly price: RestPriceName; readonly priced: string };
};
export type PieceUnit = Extract<CountedUnit, { part: 'piece' }> & { readonly usage: PieceField };
/** A unit with its own field in records. */
export type RecordedUnit<Field = RoundField | GenerationField> = CountedUnit & {
  readonly record: readonly [field: Field, attribute: string];
};
type FeeUnit = Named<Extract<UnitEntry, { part: 'fee' }>>;
export type BillingUnit = FeeUnit | CountedUnit;

export const billingUnits: readonly BillingUnit[] = unitTable;
export const meters: readonly Meter[] = billingUnits.map(({ meter }) => meter);
/** All units except the fee per request. */
export const countedUnits = billingUnits.filter((unit): unit is CountedUnit => unit.part !== 'fee');
/** All units except tokens. */
export const otherUnits = billingUnits.filter(
  (unit): unit is FeeUnit | PieceUnit => unit.part === 'fee' || unit.part === 'piece',
);
export const promptUnits = countedUnits.filter((unit): unit is TokenUnit => unit.part === 'prompt');
export const completionUnits = countedUnits.filter((unit): unit is TokenUnit => unit.part === 'completion');
export const pieces = countedUnits.filter((unit): unit is PieceUnit => unit.part === 'piece');
/**
 * Units of prompt tokens that records count separately, such as cached tokens. `completionParts` has the units of
 * answer tokens that records count separately.
 */
export const promptParts = promptUnits.filter(isTokenPart);
export const completionParts = completionUnits.filter(isTokenPart);
/** Maximum number of content blocks in one answer of a provider, for each unit that is a block. */
export const mostBlocks: { [Field in PieceField]?: number } = Object.fromEntries(
  pieces.flatMap(({ usage, blocks }) => (blocks ? [[usage, blocks]] : [])),
);
export const roundPieces = pieces.filter((unit): unit is PieceUnit & RecordedUnit<RoundField> => unit.per === 'round');
/** Units other than tokens that belong to the price of the prompt. */
const promptPieces = roundPieces.filter(({ ofPrompt }) => ofPrompt);
/** Units that can be estimated before a prompt is sent, except the tokens of its text. */
export const estimatedUnits: readonly ((PieceUnit | TokenUnit) & RecordedUnit<RoundField>)[] = [
  ...promptPieces,
  ...promptParts.filter(({ cache }) => !cache),
];
/**
 * Units for which a record has one count per request to a provider; `generationUnits` have one for the whole
 * generation.
 */
export const roundUnits: readonly RecordedUnit<RoundField>[] = [...completionParts, ...promptParts, ...roundPieces];
export const generationUnits = pieces.filter(
  (unit): unit is PieceUnit & RecordedUnit<GenerationField> => unit.per === 'generation',
);

function isTokenPart(unit: TokenUnit): unit is TokenUnit & RecordedUnit<RoundField> {
  return unit.record !== undefined;
}

/** Returns the name of the unit's own price. */
export function priceNameOf({ prices }: Pick<BillingUnit, 'prices'>): PriceName {
  return prices[0];
}

/** Returns the names of all prices that a token of these units may have. */
export function tokenPriceNames(units: readonly TokenUnit[]): PriceName[] {
  return units.flatMap((unit) => [priceNameOf(unit), ...(unit.rest ? [unit.rest.price] : [])]);
}

/**
 * Names of the token prices that a tier may change, in addition to `prompt` and `completion`. `otherPriceNames` has the
 * prices of other units, except prices that depend on a model's options.
 */
export const partPriceNames = tokenPriceNames([...promptParts, ...completionParts]) as PartPriceName[];
export const otherPriceNames = otherUnits
  .filter((unit) => unit.part === 'fee' || !unit.perModel)
  .map(priceNameOf)
  .toSorted() as OtherPriceName[];
