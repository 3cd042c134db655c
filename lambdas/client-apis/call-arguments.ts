import { argumentsIn } from '../messages/assemble.ts';
import { measureJson } from '../platform/json/exact-json.ts';

/** Maximum nesting depth of a call's arguments. The limit exists because the code that serializes them is recursive. */
const MAX_ARGUMENTS_DEPTH = 100;
const MAX_ARGUMENT_VALUES = 100_000;

/** Reads the arguments of all tool calls of one request, with one limit for the number of their values. */
export class ArgumentReader {
  #values = 0;

  /**
   * Returns the arguments as an object, whose numbers keep their digits. A text that is not a JSON object, or exceeds a
   * limit, becomes the member `arguments`, so that the conversation can continue.
   */
  read(written: string | Record<string, unknown> | null | undefined): Record<string, unknown> {
    if (typeof written !== 'string') return written ?? {};
    const text = written.trim();
    if (text === '' || text === 'null') return {};
    const { depth, values } = measureJson(text, MAX_ARGUMENT_VALUES);
    this.#values += values;
    if (depth > MAX_ARGUMENTS_DEPTH || this.#values > MAX_ARGUMENT_VALUES) return { arguments: text };
    return argumentsIn(text) ?? { arguments: text };
  }
}
