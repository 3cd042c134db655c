/**
 * Types of ECMAScript's "JSON.parse source text access", which Node supports since version 22 and TypeScript's standard
 * library lacks.
 */
interface JSON {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
