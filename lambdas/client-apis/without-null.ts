/** Returns an object without null or undefined members. Some clients send `null` for fields that they do not use. */
export function withoutNull<Value extends object>(
  value: Value,
): { [Name in keyof Value]: Exclude<Value[Name], null | undefined> } {
  const present = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(present) as ReturnType<typeof withoutNull<Value>>;
}
