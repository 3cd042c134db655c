/**
 * Several sorted lists as one. No list is read further than one entry ahead of what is taken.
 * @param comesFirst whether the one entry stands before the other; of two equal ones, that of the earlier list comes first
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
