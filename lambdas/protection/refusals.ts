/** Refusals of requests whose values are to be kept from providers. They name the field and the kind of value, never the value. */

import { invalidRequest, type GatewayError } from '../platform/errors.ts';
import type { SensitiveCategory } from '../store/sensitive-data.ts';

export function nothingNamed(): GatewayError {
  return invalidRequest(
    'sensitive_data',
    'this key asks for its prompts to be protected and names nothing to protect; nothing was sent. ' +
      'Give it categories or a dictionary, or set sensitive_data.enabled to false.',
  );
}

export function blocked(category: SensitiveCategory, field: string): GatewayError {
  return invalidRequest(
    field,
    `has what looks like sensitive data (${category}), which this key does not let out; nothing was sent. Leave it out.`,
    { category },
  );
}

/** @param category undefined for a term of the dictionary */
export function unchangeable(category: SensitiveCategory | undefined, field: string): GatewayError {
  const what =
    category === undefined ? "a term of this key's dictionary" : `what looks like sensitive data (${category})`;
  return invalidRequest(
    field,
    `has ${what}, and cannot be changed: it is a name, an address or an id. Nothing was sent. Leave it out.`,
    category === undefined ? {} : { category },
  );
}
