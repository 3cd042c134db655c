/** ECMAScript "JSON.parse source text access", in Node since 22: not yet in TypeScript's own library. */
interface JSON {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
