/** Custom tools, whose input is free text. Models get each of them as a function with one argument. */

import type { Tool } from '../messages/types.ts';
import { recordOrEmpty } from '../platform/json/foreign-json.ts';

/** Name of the only argument of a custom tool's function. It contains the free text. */
export const CUSTOM_ARGUMENT = 'input';

interface Grammar {
  syntax?: string | null | undefined;
  definition?: string | null | undefined;
}

interface CustomTool {
  name: string;
  description?: string | null | undefined;
  /** Format of the input. Its grammar is in the member `grammar` (Chat Completions API) or next to `type`. */
  format?: (Grammar & { type: string; grammar?: Grammar | null | undefined }) | null | undefined;
}

/** Returns the function for a custom tool. The description includes the grammar, which the gateway does not enforce. */
export function customTool({ name, description, format }: CustomTool): Tool {
  const grammar = format?.type === 'grammar' ? (format.grammar ?? format) : undefined;
  const rule = grammar?.definition
    ? `The input has to fit this grammar (${grammar.syntax ?? 'lark'}):\n${grammar.definition}`
    : '';
  const about = [description ?? '', rule].filter((text) => text !== '').join('\n\n');
  return {
    name,
    ...(about === '' ? {} : { description: about }),
    input_schema: {
      type: 'object',
      properties: { [CUSTOM_ARGUMENT]: { type: 'string', description: 'The whole input of the tool, as a text.' } },
      required: [CUSTOM_ARGUMENT],
      additionalProperties: false,
    },
  };
}

/** Matches other names under which models write the free text (https://github.com/farion1231/cc-switch/pull/3669). */
const OTHER_NAMES = /^(?:patch|code|source|script|javascript|js)$/;

/**
 * Returns the free text that a model wrote for a custom tool; all arguments as JSON if the argument with the text is
 * missing.
 */
export function customInput(input: unknown): string {
  const members = recordOrEmpty(input);
  const [only = '', ...others] = Object.keys(members);
  const text = members[others.length === 0 && OTHER_NAMES.test(only) ? only : CUSTOM_ARGUMENT];
  return typeof text === 'string' ? text : JSON.stringify(input ?? {});
}
