/**
 * Merges several sorted lists. Reads at most one entry of each list ahead of the consumer.
 * @param comesFirst whether the first entry sorts before the second; equal entries keep the order of the lists
 */
export async function* mergeSorted<Entry>(
  lists: AsyncGenerator<Entry, void>[],
  comesFirst: (a: Entry, b: Entry) => boolean,
): AsyncGenerator<Entry, void> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, next: await list.next() })));
  for (;;) {
    const present = heads.flatMap((head) => (head.next.done ? [] : [{ head, entry: head.next.value }]));
    if (present.length === 0) return;
    const { head, entry } = present.reduce((a, b) => (comesFirst(b.entry, a.entry) ? b : a));
    yield entry;
    head.next = await head.list.next();
  }
}
