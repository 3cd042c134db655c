export function without<Fields extends object>(object: Fields, field: string): Fields {
  const copy = { ...object };
  delete (copy as Record<string, unknown>)[field];
  return copy;
}
