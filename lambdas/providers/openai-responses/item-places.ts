import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

/** Maximum number of ids that are remembered. An answer has fewer items that reach the client. */
const MAX_IDS = 8_192;

/**
 * Assigns each event to the place of its item in the output. Servers such as llama.cpp send no `output_index`, and
 * identify calls only by their ids (https://github.com/can1357/oh-my-pi/pull/2016).
 */
export class ItemPlaces {
  readonly #byId = new Map<string, number>();
  /** Place of the item that began last. */
  #last = 0;
  #next = 0;

  of(event: Record<string, unknown>): number {
    const { output_index: index, item_id: itemId, item } = event;
    const { id, call_id: callId } = recordOrEmpty(item);
    const ids = [itemId, id, callId].filter((one): one is string => typeof one === 'string' && one !== '');
    if (Number.isSafeInteger(index)) return this.#assigned(index as number, item ? ids : []);
    const known = ids.map((one) => this.#byId.get(one)).find((place) => place !== undefined);
    if (known !== undefined) return known;
    const isNew = item !== undefined && (ids.length > 0 || event['type'] === 'response.output_item.added');
    return isNew ? this.#assigned(this.#next, ids) : this.#last;
  }

  #assigned(place: number, ids: readonly string[]): number {
    this.#last = place;
    this.#next = Math.max(this.#next, place + 1);
    if (this.#byId.size < MAX_IDS) for (const id of ids) this.#byId.set(id, place);
    return place;
  }
}
