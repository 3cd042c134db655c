/** Sizes of items and costs of calls, as documented ("DynamoDB item sizes and formats"). */

/** Value in DynamoDB JSON, for example `{"S": "text"}`. */
export type AttributeJson = Record<string, unknown>;
export type ItemJson = Record<string, AttributeJson>;

const KB = 1_024;
/** Bytes that DynamoDB adds for a list or map, and for each element. */
const COLLECTION_BYTES = 3;
const ELEMENT_BYTES = 1;

export function itemBytes(item: ItemJson): number {
  return sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + valueBytes(value)));
}

export function valueBytes(value: AttributeJson): number {
  const [type, content] = Object.entries(value)[0] ?? ['NULL', true];
  switch (type) {
    case 'S':
      return Buffer.byteLength(content as string);
    case 'N':
      return numberBytes(content as string);
    case 'B':
      return Buffer.byteLength(content as string, 'base64');
    case 'SS':
      return sum((content as string[]).map((text) => Buffer.byteLength(text)));
    case 'NS':
      return sum((content as string[]).map(numberBytes));
    case 'BS':
      return sum((content as string[]).map((text) => Buffer.byteLength(text, 'base64')));
    case 'L':
      return COLLECTION_BYTES + sum((content as AttributeJson[]).map((one) => ELEMENT_BYTES + valueBytes(one)));
    case 'M':
      return (
        COLLECTION_BYTES +
        sum(
          Object.entries(content as ItemJson).map(
            ([name, one]) => ELEMENT_BYTES + Buffer.byteLength(name) + valueBytes(one),
          ),
        )
      );
    default:
      return 1;
  }
}

/** Returns the size of a number: one byte per two significant digits, plus one byte. */
function numberBytes(text: string): number {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1;
}

/**
 * Returns the units of a write: one unit per started KB, and twice as much in a transaction, which prepares and commits
 * a write.
 */
export function writeUnits(bytes: number, { isTransaction }: { isTransaction: boolean }): number {
  return Math.max(1, Math.ceil(bytes / KB)) * (isTransaction ? 2 : 1);
}

export type Consistency = 'eventual' | 'strong' | 'transaction';

const unitsPer4Kb = { eventual: 0.5, strong: 1, transaction: 2 };

/**
 * Returns the units of a read. Data that is read together (an item, or a page of a query) costs units for each started
 * 4 KB.
 */
export function readUnits(bytes: number, consistency: Consistency): number {
  return Math.max(1, Math.ceil(bytes / (4 * KB))) * unitsPer4Kb[consistency];
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
