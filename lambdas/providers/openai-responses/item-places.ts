import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';

/** Maximum number of ids that are remembered. Fewer items of an answer reach the client. */
const MAX_KNOWN_IDS = 8_192;
/** Maximum number of open items that are remembered. Each start or end of an item compares all of them. */
const MAX_OPEN_ITEMS = 256;

interface OpenItem {
  index: number;
  place: number;
  type: unknown;
  ids: readonly string[];
}

/**
 * Assigns each event to the place of its item in the output, which usually is its `output_index`. Servers such as
 * llama.cpp send no index, and identify calls only by their ids (https://github.com/can1357/oh-my-pi/pull/2016). Other
 * servers give a text and the calls after it the same index (https://github.com/theopenco/llmgateway/pull/2908).
 */
export class ItemPlaces {
  readonly #byId = new Map<string, number>();
  #open: OpenItem[] = [];
  /** Whether open items have had the same index. Ids then have precedence over indexes. */
  #isShared = false;
  /** Place of the item that began last. */
  #last = 0;
  #next = 0;

  /** @throws {UpstreamError} if several items may be meant */
  of(event: Record<string, unknown>): number {
    const { type, output_index: sent, item_id: itemId, item } = event;
    const index = Number.isSafeInteger(sent) ? (sent as number) : undefined;
    // Most events are deltas with an index, so they need no search.
    if (index !== undefined && item === undefined && !this.#isShared) return this.#assigned(index, []);
    const { id, call_id: callId, type: itemType } = recordOrEmpty(item);
    const ids = [itemId, id, callId].filter((one): one is string => typeof one === 'string' && one !== '');
    if (type === 'response.output_item.added') return this.#begin(index, { type: itemType, ids });
    const known =
      index === undefined || this.#isShared
        ? ids.map((one) => this.#byId.get(one)).find((place) => place !== undefined)
        : undefined;
    const place =
      known ?? this.#placeAt(index, itemType ?? itemTypeOfEvent(String(type)), item === undefined ? [] : ids);
    if (type === 'response.output_item.done') this.#end(place);
    return place;
  }

  #begin(index: number | undefined, { type, ids }: Pick<OpenItem, 'type' | 'ids'>): number {
    const open = this.#open.filter((one) => one.index === index);
    const same = open.find((one) => one.ids.some((id) => ids.includes(id)));
    if (same) return same.place;
    if (index === undefined && ids.some((id) => this.#byId.get(id) === this.#last)) return this.#last;
    const isAnother = ids.length > 0 && open.some((one) => one.ids.length > 0);
    this.#isShared ||= isAnother;
    const place = this.#assigned(index === undefined || this.#isShared ? this.#next : index, ids);
    if (!isAnother) this.#open = this.#open.filter((one) => one.index !== index);
    if (index !== undefined && this.#open.length < MAX_OPEN_ITEMS) this.#open.push({ index, place, type, ids });
    return place;
  }

  /** @param ids ids of a complete item, which may be the first event of the item */
  #placeAt(index: number | undefined, type: unknown, ids: readonly string[]): number {
    if (index === undefined) return ids.length > 0 ? this.#assigned(this.#next, ids) : this.#last;
    const open = this.#open.filter((one) => one.index === index);
    const fitting = open.length > 1 ? open.filter((one) => one.type === type) : open;
    if (fitting.length > 1) {
      throw new UpstreamError('malformed', 'The provider began a part of its answer in the place of another');
    }
    return fitting[0]?.place ?? this.#assigned(this.#isShared ? this.#next : index, ids);
  }

  #end(place: number): void {
    this.#open = this.#open.filter((one) => one.place !== place);
  }

  #assigned(place: number, ids: readonly string[]): number {
    this.#last = place;
    this.#next = Math.max(this.#next, place + 1);
    if (this.#byId.size < MAX_KNOWN_IDS) for (const id of ids) this.#byId.set(id, place);
    return place;
  }
}

/** Returns the type of items to which an event with this name belongs. */
function itemTypeOfEvent(event: string): string {
  if (event.startsWith('response.function_call')) return 'function_call';
  return event.startsWith('response.reasoning') ? 'reasoning' : 'message';
}
