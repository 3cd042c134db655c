/** An async iterator that its consumer may stop early with `return()`. */
export interface PullIterator<Item> extends AsyncIterable<Item> {
  next(): Promise<IteratorResult<Item, void>>;
  return(value?: undefined): Promise<IteratorResult<Item, void>>;
}

/**
 * Returns an iterator of items that were already read from another iterator, and then of that iterator's remaining
 * items.
 */
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
