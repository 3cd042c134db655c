/** An item of a conversation, or a part of one, as the Responses API takes it. */
export interface ResponsesItem {
  type: string;
  [field: string]: unknown;
}
