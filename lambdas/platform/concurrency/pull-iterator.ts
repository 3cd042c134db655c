/**
 * Items that are read one by one, when somebody asks for the next; who has enough of them says so with `return`. Every
 * generator is one; what only looks at items on their way is none, because a generator adds three turns of the event
 * loop's queue to each item.
 */
export interface PullIterator<Item> extends AsyncIterable<Item> {
  next(): Promise<IteratorResult<Item, void>>;
  return(value?: undefined): Promise<IteratorResult<Item, void>>;
}

/** A sequence whose first items were read already: they come again, before the rest. */
export function resumed<Item>(read: Item[], rest: PullIterator<Item>): PullIterator<Item> {
  let position = 0;
  return {
    next: () => (position < read.length ? Promise.resolve({ value: read[position++]! }) : rest.next()),
    return: () => rest.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
