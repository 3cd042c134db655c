/** Refusals of requests whose values are to be kept from providers. They name the field and the kind of value, never the value. */

import { GatewayError, invalidRequest } from '../platform/errors.ts';
import type { SensitiveCategory } from '../store/sensitive-data.ts';

export function nothingNamed(): GatewayError {
  return invalidRequest(
    'sensitive_data',
    'this key asks for its prompts to be protected and names nothing to protect; nothing was sent. ' +
      'Give it categories or a dictionary, or set sensitive_data.enabled to false.',
  );
}

type Reason = 'blocked' | 'unchangeable' | 'too_many';

/** A text that must not be sent as it is; who knows where it stands makes an answer of it. */
export class TextRefusal extends Error {
  override name = 'TextRefusal';
  readonly reason: Reason;
  /** Undefined for a term of the dictionary. */
  readonly category: SensitiveCategory | undefined;

  constructor(reason: Reason, category?: SensitiveCategory) {
    super(reason);
    this.reason = reason;
    this.category = category;
  }
}

/** The answer to a request whose text was refused. */
export function refusalAt(field: string, { reason, category }: Pick<TextRefusal, 'reason' | 'category'>): GatewayError {
  if (reason === 'too_many') return tooManyValues(field);
  return reason === 'blocked' ? blocked(category!, field) : unchangeable(category, field);
}

/** Different values of one request: more than models read, and each is remembered until its answer is over. */
export const MAX_VALUES = 50_000;

function tooManyValues(field: string): GatewayError {
  return invalidRequest(
    field,
    `has the last of more than ${MAX_VALUES} different values that this key protects; nothing was sent. Send fewer in one request.`,
  );
}

/** The search takes longer than anybody may wait for it. */
export function tooSlow(seconds: number): GatewayError {
  return new GatewayError(
    'timeout',
    `This prompt could not be searched for what its key protects: it takes more than ${seconds} seconds, or too much memory. Nothing was sent. Send less text at a time.`,
  );
}

function blocked(category: SensitiveCategory, field: string): GatewayError {
  return invalidRequest(
    field,
    `has what looks like sensitive data (${category}), which this key does not let out; nothing was sent. Leave it out.`,
    { category },
  );
}

/** @param category undefined for a term of the dictionary */
function unchangeable(category: SensitiveCategory | undefined, field: string): GatewayError {
  const what =
    category === undefined ? "a term of this key's dictionary" : `what looks like sensitive data (${category})`;
  return invalidRequest(
    field,
    `has ${what}, and cannot be changed: it is a name, an address or an id. Nothing was sent. Leave it out.`,
    category === undefined ? {} : { category },
  );
}
