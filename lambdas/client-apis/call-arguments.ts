/** Arguments of calls, which clients of OpenAI's APIs send as a text of JSON. */

import { isRawNumber, measureJson, readExactly } from '../platform/json/exact-json.ts';

/** As in a body: deeper than any tool needs, and what writes JSON again recurses. */
const MAX_ARGUMENTS_DEPTH = 100;
/** As many as a body may have; the texts of a request share them. */
const MAX_ARGUMENT_VALUES = 100_000;

/** Reads the arguments of all calls of one request, in time and memory that are bounded for all of them. */
export class ArgumentReader {
  #values = 0;

  /**
   * The arguments as an object, with the numbers that the model wrote. A model may have written what is no object: it gets that
   * back as a text named `arguments`, because a conversation must be able to go on after a mistake.
   */
  read(text: string): Record<string, unknown> {
    if (text.trim() === '') return {};
    const { depth, values } = measureJson(text, MAX_ARGUMENT_VALUES);
    this.#values += values;
    if (depth > MAX_ARGUMENTS_DEPTH || this.#values > MAX_ARGUMENT_VALUES) return { arguments: text };
    return objectIn(text) ?? { arguments: text };
  }
}

/** The arguments that a model has written for a call; undefined for a text that is no JSON object. */
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
