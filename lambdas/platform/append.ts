/** Appends items to a list, however many they are: as arguments of `push`, some 100,000 of them overflow the stack. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
