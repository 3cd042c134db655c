/**
 * Types of ECMAScript's "JSON.parse source text access", which Node 22 supports and TypeScript's standard library
 * lacks.
 */
interface JSON {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
