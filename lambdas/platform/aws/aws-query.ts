/** Calls AWS services whose protocol is a form with an answer in XML (SNS). */

import { AwsError, CallTime, retryTransient, type CallOptions } from './aws-call.ts';
import { endpointOf, type AwsAddress } from './aws-endpoint.ts';
import { exchange } from './aws-exchange.ts';
import type { AwsIdentity } from './aws-identity.ts';
import { newAwsSigner } from './aws-signer.ts';
import { onceOpen } from '../concurrency/once.ts';

interface AwsQueryService {
  /** Name of the service in signatures. */
  name: string;
  version: string;
  address: AwsAddress;
}

/**
 * Calls an operation. Returns the answer, which is XML.
 * @throws {AwsError} an error of the service
 * @throws {Error} if the service did not respond
 */
type AwsQueryCall = (action: string, parameters: Record<string, string>, options?: CallOptions) => Promise<string>;

export function openAwsQuery({ name, version, address }: AwsQueryService, identity: AwsIdentity): AwsQueryCall {
  const opening = onceOpen(async () => {
    const region = await identity.region();
    const url = await endpointOf(address, { region, identity });
    return { url, signer: newAwsSigner({ credentials: identity.credentials, region, service: name }) };
  });
  return async (action, parameters, options = {}) => {
    const time = new CallTime(options);
    const place = await opening();
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const body = new URLSearchParams({ Action: action, Version: version, ...parameters }).toString();
    return retryTransient(async () => {
      const { status, body: answer } = await exchange(place, { method: 'POST', headers, body, signal: time.signal });
      const text = String(answer);
      if (status !== 200)
        throw new AwsError(status, {
          __type: /<Code>([\w.]+)<\/Code>/.exec(text)?.[1],
          message: /<Message>([^<]*)<\/Message>/.exec(text)?.[1],
        });
      return text;
    }, time);
  };
}
