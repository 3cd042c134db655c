/**
 * Calls AWS services whose protocol is JSON. AWS's own client is much slower.
 *
 * Guarantee: a call that fails temporarily is retried with the same bytes.
 */

import type { AwsIdentity } from './aws-identity.ts';
import { AwsError, CallTime, NoReplyError, retryTransient, type AwsCall, type CallOptions } from './aws-call.ts';
import { exchange, type AwsPlace } from './aws-exchange.ts';
import { endpointOf, type AwsAddress } from './aws-endpoint.ts';
import { newAwsSigner } from './aws-signer.ts';
import { onceOpen } from '../concurrency/once.ts';
import { localCredentials } from './sdk.ts';

export interface AwsService {
  /** Name of the service in signatures. */
  name: string;
  /** First part of the header `x-amz-target`, before the name of the operation. */
  target: string;
  /** Version of the service's JSON protocol; 1.0 if absent. */
  version?: '1.1';
  address: AwsAddress;
  origin?: string | undefined;
}

/**
 * Returns the function that calls a service.
 * @param options.endpoint URL of an emulator
 */
export function openAwsJson(
  service: AwsService,
  options: { endpoint?: string | undefined; identity: AwsIdentity },
): AwsCall {
  const opening = onceOpen(() => openService(service, options));

  async function attempt(place: AwsPlace, operation: string, body: string, signal?: AbortSignal): Promise<unknown> {
    const headers = {
      'content-type': `application/x-amz-json-${service.version ?? '1.0'}`,
      'x-amz-target': `${service.target}.${operation}`,
    };
    const reply = await exchange(place, { method: 'POST', headers, body, signal });
    const answer = readJsonAnswer(String(reply.body));
    if (reply.status === 200) return answer;
    throw new AwsError(reply.status, answer);
  }

  return async <Output>(operation: string, input: object, options: CallOptions = {}): Promise<Output> => {
    const time = new CallTime(options);
    const body = JSON.stringify(input);
    const place = await opening();
    return retryTransient(() => attempt(place, operation, body, time.signal) as Promise<Output>, time);
  };
}

async function openService(
  service: AwsService,
  { endpoint, identity }: { endpoint?: string | undefined; identity: AwsIdentity },
): Promise<AwsPlace> {
  const region = endpoint === undefined ? await identity.region() : 'local';
  return {
    url:
      endpoint === undefined
        ? await endpointOf(service.address, { region, identity, origin: service.origin })
        : new URL(endpoint),
    signer: newAwsSigner({
      credentials: endpoint === undefined ? identity.credentials : localCredentials,
      region,
      service: service.name,
    }),
  };
}

function readJsonAnswer(text: string): Record<string, unknown> {
  try {
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  } catch (error) {
    throw new NoReplyError('The answer is not JSON', error as Error);
  }
}
