/**
 * Maximum bytes of text that wait for earlier items. If there are more, the earlier items probably do not end soon, so
 * the text is written before the rest of these items.
 */
const MAX_WAITING_TEXT_BYTES = 1_024;
/** Maximum number of pieces of output that wait for earlier items. */
const MAX_WAITING_ITEMS = 65_536;

interface WaitingItem {
  index: number;
  bytes: number;
  textBytes?: number;
  write: () => void;
}

/**
 * Writes output in the order of its items (messages, reasoning, tool calls), which providers may interleave: clients
 * get one block at a time, and must send reasoning back directly before the item that followed it. Output waits until
 * the earlier items end, up to a limit.
 */
export class ItemOrder {
  /** Indexes of items that have begun but not ended. */
  readonly #open = new Set<number>();
  #waiting: WaitingItem[] = [];
  #waitingBytes = 0;
  #waitingTextBytes = 0;

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  begin(index: number): void {
    this.#open.add(index);
  }

  /** Writes a part of a text, or keeps it until the earlier items end. */
  writeText(index: number, text: string, write: () => void): void {
    const bytes = Buffer.byteLength(text);
    if (!this.#write({ index, bytes, textBytes: bytes, write })) return;
    if (this.#waitingTextBytes > MAX_WAITING_TEXT_BYTES) this.#overtake(index);
  }

  /** Writes output other than text, or keeps it until the earlier items end. */
  write(index: number, json: string, write: () => void): void {
    this.#write({ index, bytes: Buffer.byteLength(json), write });
  }

  end(index: number, write: () => void): void {
    this.#write({ index, bytes: 0, write });
    this.#open.delete(index);
    this.#release();
  }

  /** Writes all waiting output at the end of the answer. */
  drain(): void {
    this.#open.clear();
    this.#release();
  }

  /**
   * Writes output, or keeps it until the earlier items end.
   * @returns whether the output waits for earlier items
   */
  #write(part: WaitingItem): boolean {
    if (!this.#mustWait(part.index)) {
      part.write();
      return false;
    }
    this.#waiting.push(part);
    this.#waitingBytes += part.bytes;
    this.#waitingTextBytes += part.textBytes ?? 0;
    if (this.#waiting.length > MAX_WAITING_ITEMS) this.#overtake(part.index);
    return true;
  }

  #mustWait(index: number): boolean {
    for (const open of this.#open) if (open < index) return true;
    return false;
  }

  /** Treats all items before this item as ended. Their further output is written after this item's output. */
  #overtake(index: number): void {
    for (const open of this.#open) if (open < index) this.#open.delete(open);
    this.#release();
  }

  #release(): void {
    if (this.#waiting.length === 0) return;
    const { ready = [], still = [] } = Object.groupBy(this.#waiting, ({ index }) =>
      this.#mustWait(index) ? 'still' : 'ready',
    );
    this.#waiting = still;
    this.#waitingBytes = still.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#waitingTextBytes = still.reduce((sum, { textBytes = 0 }) => sum + textBytes, 0);
    for (const { write } of ready.toSorted((a, b) => a.index - b.index)) write();
  }
}
