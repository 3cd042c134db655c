/** An item of a conversation, or a part of an item, in the Responses API. */
export interface ResponsesItem {
  type: string;
  [field: string]: unknown;
}
