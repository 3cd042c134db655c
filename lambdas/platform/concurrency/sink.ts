/**
 * Receives the items of a sequence, one after another. Returns whether it accepts more items. If it returns a promise,
 * the sender must wait for the promise before it sends the next item.
 */
export type Sink<Item> = (item: Item) => boolean | Promise<boolean>;
