/** Reads the table as it is stored, without the gateway's code. */

/** Numbers are texts with all their digits. */
type RawValue = string | boolean | null | RawValue[] | RawItem;
export interface RawItem {
  [name: string]: RawValue;
}

/** Value in the form of DynamoDB's API. */
interface WireValue {
  S?: string;
  N?: string;
  BOOL?: boolean;
  SS?: string[];
  L?: WireValue[];
  M?: Record<string, WireValue>;
}

/** Partition keys of items with amounts that are checked. */
const KEPT = /^(GENERATION|COUNTER|LEASE|ACCOUNT|MODELS|ACTIVITY|FREE#BUDGET)#/;

export async function scanTable(endpoint: string, tableName: string): Promise<RawItem[]> {
  const items: RawItem[] = [];
  let from: object | undefined;
  do {
    const page = await callScan(endpoint, { TableName: tableName, ConsistentRead: true, ExclusiveStartKey: from });
    for (const item of page.Items) if (KEPT.test(item['pk']?.S ?? '')) items.push(rawItem(item));
    from = page.LastEvaluatedKey;
  } while (from);
  return items;
}

interface ScanPage {
  Items: Record<string, WireValue>[];
  LastEvaluatedKey?: object;
}

async function callScan(endpoint: string, body: object): Promise<ScanPage> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.Scan',
      'x-amz-date': '20260101T000000Z',
      // Emulators accept any signature.
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
    },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`The table cannot be scanned: ${await response.text()}`);
  return (await response.json()) as ScanPage;
}

function rawItem(item: Record<string, WireValue>): RawItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, rawValue(value)]));
}

function rawValue({ S, N, BOOL, SS, L, M }: WireValue): RawValue {
  if (L) return L.map(rawValue);
  if (M) return rawItem(M);
  return S ?? N ?? BOOL ?? SS ?? null;
}

export function textIn(item: RawItem, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}

export function textsIn(item: RawItem, name: string): string[] {
  const value = item[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export function itemIn(item: RawItem, name: string): RawItem {
  const value = item[name];
  return isItem(value) ? value : {};
}

export function itemsIn(item: RawItem, name: string): RawItem[] {
  const value = item[name];
  return Array.isArray(value) ? value.filter(isItem) : [];
}

function isItem(value: RawValue | undefined): value is RawItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an amount in units of 10⁻¹² RUB; 0 if it is absent. */
export function picoIn(item: RawItem, name: string): bigint {
  const value = item[name];
  return typeof value === 'string' ? picoOf(value) : 0n;
}

const DECIMAL = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const PICO_DIGITS = 12;

/**
 * Parses a decimal number exactly.
 * @throws {Error} for any other text, and for digits below 10⁻¹²
 */
export function picoOf(text: string): bigint {
  const [, sign, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || whole + fraction === '') throw new Error(`Not a decimal number: ${text}`);
  const shift = PICO_DIGITS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const pico = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  if (shift < 0 && pico * 10n ** BigInt(-shift) !== digits)
    throw new Error(`More than 12 digits after the point: ${text}`);
  return sign === '-' ? -pico : pico;
}

export function roublesOf(pico: bigint): string {
  const digits = String(pico < 0n ? -pico : pico).padStart(PICO_DIGITS + 1, '0');
  const fraction = digits.slice(-PICO_DIGITS).replace(/0+$/, '');
  return `${pico < 0n ? '-' : ''}${digits.slice(0, -PICO_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}
