/** Properties of an entry in the table of billing units (billing-units.ts). */

/** Properties that every unit has. */
interface DescribedUnit {
  /** Name of the unit in price lines, statements and sealed lines. */
  meter: string;
  /**
   * Names of prices in the catalog: the unit's own price, then, in order, the prices that replace a missing own price.
   */
  prices: readonly [string, ...string[]];
  /** Description of the price in the API document. */
  priced: string;
  /**
   * Field of `max_price` that limits this price, and the number of units to which the field's value applies. Prices
   * with the field `request` are added up. Each token price is also limited as a price of the prompt or of the answer.
   */
  maxPrice?: readonly [field: 'prompt' | 'request' | 'image' | 'audio', units: number];
  focus: { unit: string; name: string };
  /** Label of the unit in the console. */
  label: { en: string; ru: string };
}

/** Properties of a unit other than tokens. */
interface PricedSingly {
  /**
   * Lowest and highest plausible price of one unit, in RUB, if it is not zero. A price outside these bounds is probably
   * in the wrong unit (per thousand characters, per hour) or currency. The bounds assume an exchange rate of 50 to 200
   * RUB per USD.
   */
  plausible: readonly [least: string, most: string];
  /** Number of units in a typical request, by which the costs of endpoints are compared; 0 if absent. */
  typical?: number;
}

/** A fee for each request to a provider, in addition to its units. */
interface FeeEntry extends DescribedUnit, PricedSingly {
  part: 'fee';
}

interface CountedUnit extends DescribedUnit {
  /**
   * Name of the usage field with the count. For a piece (a unit other than tokens), the bounds of a request have a
   * field with the same name.
   */
  usage: string;
  /** Path to the unit's count in a Messages API `usage` object; absent if no provider reports the count. */
  reported?: readonly [string] | readonly [string, string];
  /** Name of the field in a record, and of the attribute in the table. */
  record?: readonly [field: string, attribute: string];
  /**
   * Set while no published release reads this attribute. Until then, settlement messages carry the field separately,
   * because the previous release rejects unknown fields.
   */
  isUnreleased?: true;
  /** Name of the unit in the output of `generations show`; absent if that command does not show the unit. */
  shownAs?: string;
}

/**
 * Tokens of the prompt or of the answer. Each token is charged once, at a price that may depend on the prompt's length.
 * The first `prompt` entry and the first `completion` entry are for tokens that no other entry covers. A part of the
 * answer without a price of its own has the price of that first entry.
 */
interface TokenEntry extends CountedUnit {
  part: 'prompt' | 'completion';
  /** Whether the tokens are read from a cache, or written to it with this lifetime. Absent: no cache is involved. */
  cache?: 'read' | '5m' | '1h';
  /**
   * Price of all other tokens of an answer that has tokens of this unit. In answers without tokens of this unit, the
   * other tokens have their usual price.
   */
  rest?: { price: string; priced: string };
}

/** A unit other than tokens, such as an image, a search or a second. */
interface PieceEntry extends CountedUnit, PricedSingly {
  part: 'piece';
  record: readonly [field: string, attribute: string];
  /**
   * `round`: records have one count per request to a provider. `generation`: records have one count for all requests
   * of the generation, and the last price line charges it.
   */
  per: 'round' | 'generation';
  /**
   * `before`: the request determines the count, and the count in the hold is charged. `after`: the answer determines
   * the count, and at most the count in the hold is charged.
   */
  counted: 'before' | 'after';
  /** Set if the unit counts content of the request, so that it belongs to the price of the prompt. */
  ofPrompt?: true;
  /** Set if an answer may consist of this unit alone, without tokens. */
  alone?: true;
  /**
   * Set if each unit is a content block of the answer, whose field `piece` is the name in `usage`. The value is the
   * maximum number of such blocks in an answer of one provider, for the hold.
   */
  blocks?: number;
  /** Set if the price depends on the model's own options. It is then not a field of the catalog's `pricing`. */
  perModel?: true;
}

export type UnitEntry = FeeEntry | TokenEntry | PieceEntry;
