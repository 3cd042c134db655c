/** Arguments of calls, which clients of OpenAI's APIs send as JSON text. */

import { isRawNumber, measureJson, readExactly } from '../platform/json/exact-json.ts';

/** The limit of a body. It is deeper than any tool needs, and code that writes the JSON again recurses. */
const MAX_ARGUMENTS_DEPTH = 100;
/** The limit of a body, shared by all arguments of a request. */
const MAX_ARGUMENT_VALUES = 100_000;

/** Reads the arguments of all calls of one request. One bound on time and memory holds for all of them. */
export class ArgumentReader {
  #values = 0;

  /**
   * The arguments as an object. Numbers keep the digits that the model wrote. Any other text is returned in an object,
   * as its member `arguments`: a conversation must be able to continue after a mistake of the model.
   */
  read(text: string): Record<string, unknown> {
    if (text.trim() === '') return {};
    const { depth, values } = measureJson(text, MAX_ARGUMENT_VALUES);
    this.#values += values;
    if (depth > MAX_ARGUMENTS_DEPTH || this.#values > MAX_ARGUMENT_VALUES) return { arguments: text };
    return objectIn(text) ?? { arguments: text };
  }
}

/** The arguments that a model wrote for a call; undefined if the text is not a JSON object. */
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
