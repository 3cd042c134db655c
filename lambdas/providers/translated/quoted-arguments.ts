import { isRecord } from '../../platform/json/foreign-json.ts';

/**
 * Returns a call's arguments. Some models write them as a quoted JSON string, whose object is returned instead.
 * @returns undefined while the first arguments, which may be incomplete, do not show yet whether they are quoted
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
