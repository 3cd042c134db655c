/** A copy of an object without one of its fields. */
export function without<Fields extends object>(object: Fields, field: string): Fields {
  const copy = { ...object };
  delete (copy as Record<string, unknown>)[field];
  return copy;
}
