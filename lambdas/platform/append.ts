/** Appends any number of items to a list. `push(...items)` overflows the stack with about 100,000 items. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
