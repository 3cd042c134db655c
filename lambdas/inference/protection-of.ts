import type { JobRequest } from '../platform/concurrency/job-thread.ts';
import type { Protection } from '../protection/sensitive-data.ts';
import { noSensitiveData } from '../store/accounts/sensitive-data.ts';
import type { InferenceInput } from './inference-input.ts';

type ProtectedInput = Pick<InferenceInput<unknown>, 'caller' | 'clientLeft'>;

/** Returns the request's owner and abort signal for a job of a worker thread. */
export function jobRequestOf({ caller: { account, key }, clientLeft }: ProtectedInput): JobRequest {
  return { owner: { account: account.id, key: key.hash }, clientLeft };
}

/** @param beforeSearch runs before the prompt is scanned for sensitive data, if the key protects such data */
export function protectionOf(input: ProtectedInput, beforeSearch?: () => Promise<void>): Protection {
  return { ...jobRequestOf(input), settings: input.caller.key.sensitiveData, beforeSearch };
}

/** Returns the same request without protection of sensitive data. Never send it to a provider. */
export function unprotected<Input extends ProtectedInput>(input: Input): Input {
  const { caller } = input;
  return { ...input, caller: { ...caller, key: { ...caller.key, sensitiveData: noSensitiveData } } };
}
