/** Removes parts of zod, Smithy and Middy that no function needs. Bundlers keep them, because objects contain them. */

/** Matches constant error messages of libraries about mistakes in the code that calls them. */
const SCHEMA_MISTAKE = /(?<=(?:throw new Error|super)\(\s*)(?:"[^"\n]*"|'[^'\n]*'|`[^`$\n]*`)(?=[,)])/g;
/**
 * Matches zod's methods such as `z.string().email()`. Each of them would keep a class in the bundle; schemas use
 * functions such as `z.email()` instead.
 */
const STRING_FORMAT = /^ {4}\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},$/gm;

/** Names of zod's methods that the gateway does not use. Each of them would keep a class or a function in the bundle. */
export const unusedMethods = [
  ['and', 'exactOptional', 'exactPartial', 'isNullable', 'isOptional', 'keyof', 'loose', 'lowercase', 'merge'],
  ['negative', 'nonempty', 'nonoptional', 'nonpositive', 'passthrough', 'pick', 'prefault', 'readonly', 'required'],
  ['safe', 'safeExtend', 'slugify', 'step', 'strict', 'strip', 'toJSONSchema', 'uppercase', 'validate'],
  ['validateAsync', 'decodeAsync', 'encodeAsync', 'safeDecode', 'safeDecodeAsync', 'safeEncode', 'safeEncodeAsync'],
].flat();
const UNUSED_METHOD = new RegExp(
  String.raw`^ {4}(?:async )?(?:${unusedMethods.join('|')})(?:: async function \w+)?\([\w., ]*\) \{\n {8}return .*\n {4}\},$`,
  'gm',
);

/** Matches zod's schemas of times and durations, which the object `z.iso` would keep in the bundle. */
const UNUSED_TIMES = /^export function (?:time|duration)\(params\) \{\n.*\n\}$|, ZodISO(?:Time|Duration)\b/gm;

/** Removes the parts from the text of a file. A test ensures that no function needs them. */
export function withoutUnusedParts(source: string): string {
  return source
    .replaceAll(SCHEMA_MISTAKE, '""')
    .replaceAll(STRING_FORMAT, '')
    .replaceAll(UNUSED_METHOD, '')
    .replaceAll(UNUSED_TIMES, '');
}
