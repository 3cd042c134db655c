/**
 * Takes the items of a sequence, one after another. It returns whether more items are wanted. A promise means that the
 * sender must wait for it before the next item, because the receiver is slower than the sender.
 */
export type Sink<Item> = (item: Item) => boolean | Promise<boolean>;
