/** Exceptions of Bedrock, in a body of their own or inside an answer. */

import { errorKinds, type ErrorKind } from '../../platform/errors.ts';
import type { WireRefusal } from '../wire.ts';
import { parseForeign, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import { UNSAID_REFUSAL } from '../translated/errors.ts';

/** As the API reference lists them, and what each stands for. */
const exceptionKinds = new Map<string, ErrorKind>([
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
  return { type: exceptionType(name), message: exceptionMessage(membersOf(payload)) };
}

/**
 * An answer with the status of an error, or a document in the place of a stream. Its exception's name is in a header, and
 * the status says the same; AWS' clients look for it in these members as well.
 */
export function readBedrockRefusal(body: string): WireRefusal {
  const members = membersOf(body);
  const { code, __type: type } = members;
  return { type: exceptionType(firstText(code, type) ?? ''), message: exceptionMessage(members) };
}

/** @param name may stand between a namespace and an address: `com.amazon#ThrottlingException:http://…` */
function exceptionType(name: string): string | undefined {
  const [beforeAddress] = name.split(':', 1);
  const kind = exceptionKinds.get(beforeAddress!.split('#').at(-1)!.toLowerCase());
  return kind && errorKinds[kind].messagesType;
}

function exceptionMessage({ message, Message }: Record<string, unknown>): string {
  return firstText(message, Message) ?? UNSAID_REFUSAL;
}

function firstText(...values: unknown[]): string | undefined {
  return values.map(textOrAbsent).find((text) => text !== undefined);
}

function membersOf(json: string): Record<string, unknown> {
  try {
    return recordOrEmpty(parseForeign(json));
  } catch {
    // A proxy in front of the provider answered.
    return {};
  }
}
