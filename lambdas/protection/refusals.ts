/** Errors for requests with protected data. They name the field and the kind of value, never the value. */

import { GatewayError, invalidRequest } from '../platform/errors.ts';
import type { SensitiveCategory } from '../store/accounts/sensitive-data.ts';

export function nothingNamed(): GatewayError {
  return invalidRequest(
    'sensitive_data',
    'this key protects its prompts, but has neither categories nor a dictionary. The gateway sent nothing to a provider. ' +
      'Give the key categories or a dictionary, or set sensitive_data.enabled to false.',
  );
}

type Reason = 'blocked' | 'unchangeable' | 'too_many';

/** Thrown for a text that may not be sent. The caller adds the text's field. */
export class TextRefusal extends Error {
  override name = 'TextRefusal';
  readonly reason: Reason;
  /** Category of the value; undefined for a term of the dictionary, and if there are too many values. */
  readonly category: SensitiveCategory | undefined;

  constructor(reason: Reason, category?: SensitiveCategory) {
    super(reason);
    this.reason = reason;
    this.category = category;
  }
}

/** Returns the error for a request with a refused text. */
export function refusalAt(field: string, { reason, category }: Pick<TextRefusal, 'reason' | 'category'>): GatewayError {
  return invalidRequest(field, reasonText(reason, category), category === undefined ? {} : { category });
}

/**
 * Maximum number of protected values in a request. It limits memory, because each value is stored until the answer
 * ends.
 */
export const MAX_VALUES = 50_000;

/**
 * Returns the message of a refusal.
 * @param category undefined for a term of the dictionary, and for `too_many`
 */
function reasonText(reason: Reason, category: SensitiveCategory | undefined): string {
  switch (reason) {
    case 'too_many':
      return `exceeds the maximum of ${MAX_VALUES} different protected values in one request. Nothing was sent. Send fewer values in one request.`;
    case 'blocked':
      return `has a value that looks like sensitive data (${category}), which the settings of this key block. Nothing was sent. Leave the value out.`;
    case 'unchangeable': {
      const what =
        category === undefined
          ? "a term of this key's dictionary"
          : `a value that looks like sensitive data (${category})`;
      return `has ${what}, and the gateway cannot replace it in a name, an address or an id. Nothing was sent. Leave it out.`;
    }
  }
}

/** Returns the error for a search that exceeded its time limit. */
export function tooSlow(seconds: number): GatewayError {
  return new GatewayError(
    'timeout',
    `The search of this prompt for sensitive data took more than ${seconds} seconds. Nothing was sent. Send less text in one request.`,
  );
}

/** Returns the error for a search whose thread failed, for example because of its memory limit. */
export function searchBroken(): GatewayError {
  return new GatewayError(
    'timeout',
    'The search of this prompt for sensitive data failed, because it needs too much memory. Nothing was sent. Send less text in one request.',
  );
}

const BUSY_RETRY_SECONDS = '3';

/** Returns the error for a search that gets no turn in the thread. */
export function searchBusy(): GatewayError {
  return new GatewayError(
    'provider_overloaded',
    'The gateway is busy with the search of other prompts for sensitive data. Nothing was sent. Try again in a few seconds.',
    { headers: { 'retry-after': BUSY_RETRY_SECONDS } },
  );
}
