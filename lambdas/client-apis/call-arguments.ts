/** Reads arguments of tool calls, which clients of OpenAI's APIs send as JSON text. */

import { isRawNumber, measureJson, readExactly } from '../platform/json/exact-json.ts';

/**
 * Maximum depth of arguments, below that of a request body (128). Tools need less. A limit is required, because the
 * code that serializes arguments is recursive.
 */
const MAX_ARGUMENTS_DEPTH = 100;
/** Maximum number of values in all arguments of a request together, equal to that of a request body. */
const MAX_ARGUMENT_VALUES = 100_000;

/**
 * Reads the arguments of all tool calls of one request. The total number of values is limited, which bounds time and
 * memory.
 */
export class ArgumentReader {
  #values = 0;

  /**
   * Returns the arguments as an object. Numbers keep the digits that the model wrote. A text that is not a JSON object,
   * or exceeds a limit, becomes the member `arguments` of an object. The conversation can then continue after a mistake
   * of the model. The text `null` and an empty text mean that there are no arguments.
   */
  read(written: string | Record<string, unknown> | null | undefined): Record<string, unknown> {
    if (typeof written !== 'string') return written ?? {};
    const text = written.trim();
    if (text === '' || text === 'null') return {};
    const { depth, values } = measureJson(text, MAX_ARGUMENT_VALUES);
    this.#values += values;
    if (depth > MAX_ARGUMENTS_DEPTH || this.#values > MAX_ARGUMENT_VALUES) return { arguments: text };
    return objectIn(text) ?? { arguments: text };
  }
}

/** Returns the arguments that a model wrote for a tool call; undefined if the text is not a JSON object. */
export function callInput(text: string): Record<string, unknown> | undefined {
  return text === '' ? undefined : objectIn(text);
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = readExactly(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
