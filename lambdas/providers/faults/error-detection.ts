import { isRawNumber } from '../../platform/json/exact-json.ts';
import { recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';

/**
 * Fields with the message of an error. In streams, Venice sends `error_message`
 * (https://github.com/NousResearch/hermes-agent/issues/68451).
 */
const ERROR_TEXT_FIELDS = [
  'message',
  'Message',
  'msg',
  'detail',
  'error_msg',
  'err_msg',
  'error_message',
  'errorMessage',
];

/** Returns whether a JSON document is an error. Some providers send errors with a success status. */
export function statesError(document: unknown): boolean {
  const body = recordOrEmpty(Array.isArray(document) ? document[0] : document);
  const { error, errors, success, object, type } = body;
  if (error !== undefined && error !== null && error !== false && error !== '') return true;
  if (Array.isArray(errors) && errors.length > 0) return true;
  if (success === false || object === 'error' || type === 'error') return true;
  const { status_code: code } = recordOrEmpty(body['base_resp']);
  if (code !== undefined && codeDigits(code) !== '0') return true;
  return ERROR_TEXT_FIELDS.some((field) => {
    const value = body[field];
    return textOrAbsent(value) !== undefined || (field === 'detail' && Array.isArray(value));
  });
}

/** Returns the digits of a whole number or a numeric text, at most 12 digits; otherwise undefined. */
export function codeDigits(value: unknown): string | undefined {
  const digits = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : value;
  return typeof digits === 'string' && /^\d{1,12}$/.test(digits) ? digits : undefined;
}
