import { isRecord } from '../../platform/json/foreign-json.ts';

/**
 * Returns the arguments of a call that can be written. Some models write the JSON object as a JSON text within a text,
 * which clients cannot read.
 * @param json the first arguments, which may be incomplete
 * @returns the object's text; the arguments themselves if they are no text of an object; undefined until their end
 */
export function writableArguments(json: string, isComplete: boolean): string | undefined {
  if (!/^\s*"/.test(json)) return json;
  return isComplete ? (objectTextIn(json) ?? json) : undefined;
}

function objectTextIn(json: string): string | undefined {
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === 'string' && isRecord(JSON.parse(text)) ? text : undefined;
  } catch {
    return undefined;
  }
}
