import type { JobRequest } from '../platform/concurrency/job-thread.ts';
import type { Protection } from '../protection/sensitive-data.ts';
import { noSensitiveData } from '../store/accounts/sensitive-data.ts';
import type { InferenceInput } from './inference-input.ts';

type ProtectedInput = Pick<InferenceInput<unknown>, 'caller' | 'clientLeft'>;

/** The request in the form for threads that serve several requests. */
export function jobRequestOf({ caller: { account, key }, clientLeft }: ProtectedInput): JobRequest {
  return { owner: { account: account.id, key: key.hash }, clientLeft };
}

/** The protection of a request, with the settings of its key. @param beforeSearch runs before its prompt is searched */
export function protectionOf(input: ProtectedInput, beforeSearch?: () => Promise<void>): Protection {
  return { ...jobRequestOf(input), settings: input.caller.key.sensitiveData, beforeSearch };
}

/** The same request without protection. Never send it to a provider. */
export function unprotected<Input extends ProtectedInput>(input: Input): Input {
  const { caller } = input;
  return { ...input, caller: { ...caller, key: { ...caller.key, sensitiveData: noSensitiveData } } };
}
