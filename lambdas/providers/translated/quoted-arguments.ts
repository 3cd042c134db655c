import { isRecord } from '../../platform/json/foreign-json.ts';

/**
 * Returns the arguments of a call as clients can read them. Some models write the JSON object as a quoted JSON string,
 * which clients cannot read.
 * @param json the first arguments, which may be incomplete
 * @returns the object's JSON, if the arguments are a quoted object; otherwise the arguments unchanged; undefined while
 *   this is not yet known
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
