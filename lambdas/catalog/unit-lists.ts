/** The names of billing units as types, and lists of units by what they are part of. Each list is made once. */

import { unitTable, type UnitEntry } from './billing-units.ts';

type Entry = (typeof unitTable)[number];
type Recorded = Extract<Entry, { record: unknown }>;
type Piece = Extract<Entry, { part: 'piece' }>;
type Part = Exclude<Extract<Recorded, { part: 'prompt' | 'completion' }>, Piece>;
type PerGeneration = Extract<Entry, { per: 'generation' }>;

export type Meter = Entry['meter'];
/** A price of a unit; `prompt` and `completion` are those of all other tokens. */
export type PriceName = Entry['prices'][0] | RestPriceName;
type RestPriceName = Extract<Entry, { rest: unknown }>['rest']['price'];
/** Prices that are made of a model's options (`perModel`). */
export type ModelPriceName = Extract<Entry, { perModel: true }>['prices'][0];
type TotalName = 'prompt' | 'completion';
export type PartPriceName = Part['prices'][0] | RestPriceName;
export type OtherPriceName = Exclude<PriceName, TotalName | PartPriceName | ModelPriceName>;
/** Fields of a usage. */
export type UsageField = Extract<Entry, { usage: unknown }>['usage'];
export type PieceField = Piece['usage'];
/** Fields of a record. */
export type GenerationField = PerGeneration['record'][0];
export type RoundField = Exclude<Recorded['record'][0], GenerationField>;

/** An entry with the names that there are. */
type Named<Of extends UnitEntry> = Of & {
  readonly meter: Meter;
  readonly prices: readonly [PriceName, ...PriceName[]];
};
export type CountedUnit = Named<Exclude<UnitEntry, { part: 'fee' }>> & { readonly usage: UsageField };
export type TokenUnit = Extract<CountedUnit, { part: 'prompt' | 'completion' }> & {
  readonly rest?: { readonly price: RestPriceName; readonly priced: string };
};
export type PieceUnit = Extract<CountedUnit, { part: 'piece' }> & { readonly usage: PieceField };
/** A unit with a field of its own in records. */
export type RecordedUnit<Field = RoundField | GenerationField> = CountedUnit & {
  readonly record: readonly [field: Field, attribute: string];
};
export type BillingUnit = Named<Extract<UnitEntry, { part: 'fee' }>> | CountedUnit;

export const billingUnits: readonly BillingUnit[] = unitTable;
export const meters: readonly Meter[] = billingUnits.map(({ meter }) => meter);
/** Every unit but the fee of a request. */
export const countedUnits = billingUnits.filter((unit): unit is CountedUnit => unit.part !== 'fee');
export const promptUnits = countedUnits.filter((unit): unit is TokenUnit => unit.part === 'prompt');
export const completionUnits = countedUnits.filter((unit): unit is TokenUnit => unit.part === 'completion');
export const pieces = countedUnits.filter((unit): unit is PieceUnit => unit.part === 'piece');
/** Tokens that records name apart from the rest of the prompt and of the answer. */
export const promptParts = promptUnits.filter(isTokenPart);
export const completionParts = completionUnits.filter(isTokenPart);
export const roundPieces = pieces.filter((unit): unit is PieceUnit & RecordedUnit<RoundField> => unit.per === 'round');
/** Units that records keep for each request to a provider, and those that they keep once for the generation. */
export const roundUnits: readonly RecordedUnit<RoundField>[] = [...completionParts, ...promptParts, ...roundPieces];
export const generationUnits = pieces.filter(
  (unit): unit is PieceUnit & RecordedUnit<GenerationField> => unit.per === 'generation',
);

function isTokenPart(unit: TokenUnit): unit is TokenUnit & RecordedUnit<RoundField> {
  return unit.record !== undefined;
}

/** The catalog's name of a unit's own price. */
export function priceNameOf({ prices }: Pick<BillingUnit, 'prices'>): PriceName {
  return prices[0];
}

/** The prices of a token of the prompt, and of the answer: any that it may have. */
export function tokenPriceNames(units: readonly TokenUnit[]): PriceName[] {
  return units.flatMap((unit) => [priceNameOf(unit), ...(unit.rest ? [unit.rest.price] : [])]);
}

/** Names of prices: of parts of the prompt and the answer, which a tier may change; and of everything else, in the order of names. */
export const partPriceNames = tokenPriceNames([...promptParts, ...completionParts]) as PartPriceName[];
export const otherPriceNames = billingUnits
  .filter((unit) => unit.part === 'fee' || (unit.part === 'piece' && !unit.perModel))
  .map(priceNameOf)
  .toSorted() as OtherPriceName[];
