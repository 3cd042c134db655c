/** Appends any number of items to a list. As arguments of `push`, some 100,000 items overflow the stack. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
