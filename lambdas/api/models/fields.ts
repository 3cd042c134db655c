import * as z from 'zod';
import { parseModalities } from '../../catalog/modalities.ts';
import { modalities } from '../../catalog/modality.ts';
import { amount } from '../../http/fields.ts';
import { NumberText } from '../../http/json-body.ts';

const MAX_TEXT = 1_000;
const TEXT_RULE = `must have at most ${MAX_TEXT} characters`;

const boundedText = z.string().max(MAX_TEXT, TEXT_RULE);

/** Words, separated by spaces and converted to lower case. */
export const wordsParameter = boundedText.transform((text) => listedParts(text, /\s+/));

/** Names, separated by commas and converted to lower case. An unknown name matches no model. */
export const namesParameter = boundedText.transform((text) => listedParts(text, ','));

/** Returns the schema of names separated by commas. Each name must be one of the choices. */
export function choicesParameter<const Choice extends string>(choices: readonly Choice[]) {
  const names: ReadonlySet<string> = new Set(choices);
  return boundedText.transform((text, context) => {
    const wanted = listedParts(text, ',');
    if (wanted.every((name) => names.has(name))) return wanted as Choice[];
    context.addIssue({ code: 'custom', message: `must be a comma-separated list of ${choices.join(', ')}` });
    return z.NEVER;
  });
}

/** A price. Exponents are accepted, because programs may write small numbers that way. */
export const priceParameter = z
  .string()
  .meta({ override: { type: 'number', minimum: 0, maximum: 1e15 } })
  .transform((text): z.input<typeof amount> => new NumberText(text))
  .pipe(amount);

function listedParts(text: string, separator: RegExp | string): string[] {
  return text
    .toLowerCase()
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A comma-separated list, or "all"; the default is text. */
export const modalitiesParameter = z
  .string()
  .default('text')
  .transform((text, context) => {
    const wanted = parseModalities(text);
    if (!('unknown' in wanted)) return wanted.modalities;
    context.addIssue({
      code: 'custom',
      message: `"${wanted.unknown.slice(0, 40)}" is not a modality; use "all" or a comma-separated list of ${modalities.join(', ')}`,
    });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', default: 'text' }, example: 'text,image' });
