/**
 * An async iterator whose consumer may stop early with `return()`. Every async generator is one. If code only inspects
 * passing items, do not write it as a generator, because a generator adds three microtasks to each item.
 */
export interface PullIterator<Item> extends AsyncIterable<Item> {
  next(): Promise<IteratorResult<Item, void>>;
  return(value?: undefined): Promise<IteratorResult<Item, void>>;
}

/** Returns a sequence of the given items, which were already read, and then the remaining items. */
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
