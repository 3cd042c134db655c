/** An object without the members that say nothing: clients send `null` for what they do not use. */
export function withoutNull<Value extends object>(
  value: Value,
): { [Name in keyof Value]: Exclude<Value[Name], null | undefined> } {
  const said = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(said) as ReturnType<typeof withoutNull<Value>>;
}
