/** An item of a conversation in the Responses API, or a part of an item. */
export interface ResponsesItem {
  type: string;
  [field: string]: unknown;
}
