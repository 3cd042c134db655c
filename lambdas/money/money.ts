/**
 * Exact amount of roubles.
 *
 * Guarantee: amounts are whole numbers of 10⁻¹² RUB in a bigint; no floating point is used between a price and the
 * ledger.
 */

const SCALE_DIGITS = 12;
const PICO_PER_RUB = 10n ** BigInt(SCALE_DIGITS);

const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

/** Matches at most 24 digits before the point. With 12 after it, they fit DynamoDB's 38 significant digits. */
const DECIMAL = /^(-?)0*(\d{1,24})(?:\.(\d+))?$/;

const SCIENTIFIC = /^(-?)(\d{1,40})(?:\.(\d{1,60}))?[eE]([+-]?\d{1,4})$/;
const MAX_EXPONENT = 60;

export class Money {
  static readonly zero = new Money(0n);

  /** Amount in units of 10⁻¹² RUB. */
  readonly pico: bigint;

  private constructor(pico: bigint) {
    this.pico = pico;
  }

  static fromPico(pico: bigint): Money {
    return new Money(pico);
  }

  /**
   * Parses a plain decimal number of roubles, such as "0.000270".
   * @throws {RangeError} for other text, more than 24 digits before the point, or more than 12 after it (outer zeros do
   * not count)
   */
  static parse(text: string): Money {
    const match = DECIMAL.exec(text);
    if (!match) throw new RangeError(`"${text.slice(0, 40)}" is not a plain decimal amount of roubles`);
    const [, sign, whole, fraction = ''] = match;
    const significant = fraction.replace(/0+$/, '');
    if (significant.length > SCALE_DIGITS) {
      throw new RangeError(`"${text.slice(0, 60)}" has more than ${SCALE_DIGITS} digits after the point`);
    }
    const pico = BigInt(whole + significant.padEnd(SCALE_DIGITS, '0'));
    return new Money(sign ? -pico : pico);
  }

  /**
   * Parses a number as written in JSON, by DynamoDB or by a person, without rounding. An exponent is allowed ("1e-7").
   * @throws {RangeError} as `parse` does, and if the exponent is larger than any amount needs
   */
  static parseNumber(text: string): Money {
    const match = SCIENTIFIC.exec(text);
    if (!match) return Money.parse(text);
    const [, sign, whole = '0', fraction = '', exponentText] = match;
    const exponent = Number(exponentText);
    if (Math.abs(exponent) > MAX_EXPONENT) throw new RangeError(`"${text.slice(0, 40)}" is out of range`);
    const digits = whole + fraction;
    const pointAt = whole.length + exponent;
    if (pointAt <= 0) return Money.parse(`${sign}0.${'0'.repeat(-pointAt)}${digits}`);
    if (pointAt >= digits.length) return Money.parse(`${sign}${digits}${'0'.repeat(pointAt - digits.length)}`);
    return Money.parse(`${sign}${digits.slice(0, pointAt)}.${digits.slice(pointAt)}`);
  }

  plus(other: Money): Money {
    return new Money(this.pico + other.pico);
  }

  minus(other: Money): Money {
    return new Money(this.pico - other.pico);
  }

  /** Multiplies the amount by a whole number. */
  times(count: number | bigint): Money {
    return new Money(this.pico * BigInt(count));
  }

  negated(): Money {
    return new Money(-this.pico);
  }

  /**
   * Returns the number of whole units that `amount` can pay for if this amount is the price of a unit. The result is at
   * most 2⁵³ − 1, but Infinity if the price is zero. If `amount` is not positive, the result is 0.
   */
  unitsIn(amount: Money): number {
    if (amount.pico <= 0n) return 0;
    if (this.pico === 0n) return Infinity;
    const units = amount.pico / this.pico;
    return units > MAX_COUNT ? Number.MAX_SAFE_INTEGER : Number(units);
  }

  compare(other: Money): -1 | 0 | 1 {
    if (this.pico === other.pico) return 0;
    return this.pico < other.pico ? -1 : 1;
  }

  equals(other: Money): boolean {
    return this.pico === other.pico;
  }

  exceeds(other: Money): boolean {
    return this.pico > other.pico;
  }

  get isZero(): boolean {
    return this.pico === 0n;
  }

  get isNegative(): boolean {
    return this.pico < 0n;
  }

  static max(first: Money, ...rest: Money[]): Money {
    return rest.reduce((largest, next) => (next.exceeds(largest) ? next : largest), first);
  }

  static min(first: Money, ...rest: Money[]): Money {
    return rest.reduce((smallest, next) => (smallest.exceeds(next) ? next : smallest), first);
  }

  static sum(amounts: Iterable<Money>): Money {
    let pico = 0n;
    for (const amount of amounts) pico += amount.pico;
    return new Money(pico);
  }

  /** Returns the shortest plain decimal, without exponent and trailing zeros ("0.00027", "12", "-1.5"). */
  toString(): string {
    const magnitude = this.pico < 0n ? -this.pico : this.pico;
    const whole = magnitude / PICO_PER_RUB;
    const fraction = (magnitude % PICO_PER_RUB).toString().padStart(SCALE_DIGITS, '0').replace(/0+$/, '');
    const sign = this.pico < 0n ? '-' : '';
    return fraction ? `${sign}${whole}.${fraction}` : `${sign}${whole}`;
  }

  /** Returns an exact JSON number with the digits of `toString`, without conversion to a float. */
  toJSON(): unknown {
    return JSON.rawJSON(this.toString());
  }
}
