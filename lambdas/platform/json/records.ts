/** Returns the record without undefined fields. */
export function withoutUndefined<Value>(record: Record<string, Value | undefined>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}
