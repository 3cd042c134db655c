/** Exceptions of Bedrock, in a body of their own or inside an answer. */

import { errorKinds, type ErrorKind } from '../../platform/errors.ts';
import type { WireRefusal } from '../wire.ts';

const UNSAID = 'The provider refused the request without saying why';

/** As the API reference lists them, and what each stands for. */
const kinds = new Map<string, ErrorKind>([
  ['throttlingexception', 'rate_limit_exceeded'],
  ['servicequotaexceededexception', 'rate_limit_exceeded'],
  ['serviceunavailableexception', 'provider_overloaded'],
  ['modelnotreadyexception', 'provider_overloaded'],
  ['modeltimeoutexception', 'timeout'],
  ['validationexception', 'invalid_request'],
  ['accessdeniedexception', 'permission_denied'],
  ['resourcenotfoundexception', 'not_found'],
  ['internalserverexception', 'server'],
  ['modelerrorexception', 'server'],
  ['modelstreamerrorexception', 'server'],
]);

/** @param payload JSON with a `message`, or whatever else came */
export function exceptionOf(name: string, payload: string): WireRefusal {
  const kind = kinds.get(name.toLowerCase());
  return { type: kind && errorKinds[kind].messagesType, message: messageOf(parsed(payload)) };
}

/** An answer with the status of an error. Its exception's name is in a header; the status says the same. */
export function readBedrockRefusal(body: string): WireRefusal {
  return { type: undefined, message: messageOf(parsed(body)) };
}

function messageOf(value: unknown): string {
  const { message, Message } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const said = [message, Message].find((text) => typeof text === 'string' && text !== '');
  return (said as string | undefined) ?? UNSAID;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy in front of the provider answered.
    return undefined;
  }
}
