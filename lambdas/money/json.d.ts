/** Types of the language feature "JSON.parse source text access", which TypeScript's standard library lacks. */
interface JSON {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
