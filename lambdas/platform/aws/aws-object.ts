/**
 * Reads one object of an S3 bucket repeatedly while the gateway serves requests. Each read is a signed GET with the tag
 * of the known content, and S3 sends the object only if its content has changed. AWS's client for S3 is not used,
 * because it would be half of a Lambda function's bundle.
 */

import { AwsError, retryTransient } from './aws-call.ts';
import { exchangeSigned } from './aws-exchange.ts';
import type { AwsIdentity } from './aws-identity.ts';
import { objectEndpointOf } from './aws-endpoint.ts';
import { newAwsSigner } from './aws-signer.ts';
import { nowMs } from '../clock.ts';
import { onceOpen } from '../concurrency/once.ts';
import { localCredentials } from './sdk.ts';

export interface ObjectPlace {
  bucket: string;
  key: string;
  /** URL of an emulator, to which requests are signed with `localCredentials`. */
  endpoint?: string | undefined;
  identity: AwsIdentity;
}

export interface ReadObject {
  text: string;
  /** Tag of the content. It changes whenever the content changes. */
  etag: string;
}

/**
 * @returns a function that reads the object. It returns `unchanged` if the object still has the known tag, and
 *   `missing` if it does not exist.
 * @throws {AwsError | NoReplyError} if S3 rejects the request, or does not respond
 */
export function openObject(place: ObjectPlace): (knownEtag?: string) => Promise<ReadObject | 'unchanged' | 'missing'> {
  const opening = onceOpen(() => addressOf(place));
  return async (knownEtag) => {
    const { url, signer } = await opening();
    return retryTransient(async () => {
      const unsigned = {
        method: 'GET',
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        headers: { host: url.host, ...(knownEtag ? { 'if-none-match': knownEtag } : {}) },
      };
      const { headers } = await signer.sign(unsigned, { signingDate: new Date(nowMs()) });
      const { status, text, headers: answered } = await exchangeSigned(url, { method: 'GET', headers });
      if (status === 304) return 'unchanged';
      if (status === 404) return 'missing';
      if (status === 200) return { text, etag: answered.etag ?? '' };
      throw new AwsError(status, { __type: /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] });
    });
  };
}

/**
 * Returns the URL of an object, and the signer for requests of this object. In S3, the name of the bucket is usually a
 * part of the host name; in an emulator, it is a part of the path.
 */
async function addressOf({ bucket, key, endpoint, identity }: ObjectPlace) {
  const region = endpoint === undefined ? await identity.region() : 'us-east-1';
  const url =
    endpoint === undefined
      ? await objectEndpointOf({ bucket, key }, { region, identity })
      : new URL(`${endpoint}/${bucket}/${key}`);
  const credentials = endpoint === undefined ? identity.credentials : localCredentials;
  return { url, signer: newAwsSigner({ credentials, region, service: 's3' }) };
}
