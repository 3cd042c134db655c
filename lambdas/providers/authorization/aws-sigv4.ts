/**
 * Signs requests to Amazon Bedrock (Signature Version 4). The path is percent-encoded once more before it is signed.
 */

import { nowMs } from '../../platform/clock.ts';
import { ownIdentity, type AwsCredentials } from '../../platform/aws/aws-identity.ts';
import { newAwsSigner } from '../../platform/aws/aws-signer.ts';
import { awsVariables, optionalVariable } from '../../platform/environment.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { RefusedCredential } from './refused-credential.ts';

const SERVICE = 'bedrock';
/** Credential that selects the IAM role of the running function or server. Any other credential is an access key. */
const OWN_ROLE = 'role';
const DEFAULT_REGION = 'us-east-1';
/** Matches the region in a host name of AWS, such as `us-east-1` or `us-gov-west-1`. */
const REGION = /(?<=\.)[a-z]{2}(?:-[a-z]+){1,2}-\d{1,2}(?=\.)/;
/** Matches an access key: `<access key id>:<secret access key>[:<session token>]`. */
const ACCESS_KEY_FORM = /^([^:\s]+):([^:\s]+)(?::([^:\s]+))?$/;

/**
 * Returns the headers with the signature of a request.
 * @param credential an access key as `<id>:<secret>[:<session token>]`, or `role`
 */
export async function authorizeWithSigV4(
  credential: string,
  { url, headers, body }: OutgoingRequest,
): Promise<Record<string, string>> {
  const { protocol, host, hostname, pathname } = new URL(url);
  const signer = newAwsSigner({
    credentials: await accessKeyOf(credential),
    region: signingRegion(hostname),
    service: SERVICE,
  });
  const request = { method: 'POST', protocol, hostname, path: pathname, headers: { ...headers, host }, body };
  const signed = await signer.sign(request, { signingDate: new Date(nowMs()) });
  const added = Object.entries(signed.headers).filter(
    ([name]) => name === 'authorization' || name.startsWith('x-amz-'),
  );
  return Object.fromEntries(added);
}

/**
 * Returns the access key in a credential.
 * @throws {RefusedCredential} for an unreadable credential; the message contains no part of it
 */
async function accessKeyOf(credential: string): Promise<AwsCredentials> {
  if (credential === OWN_ROLE) return ownIdentity.credentials();
  const [, accessKeyId, secretAccessKey, sessionToken] = ACCESS_KEY_FORM.exec(credential) ?? [];
  if (!accessKeyId || !secretAccessKey) {
    throw new RefusedCredential(
      'The credential is not <access key id>:<secret access key>[:<session token>], nor "role"',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

function signingRegion(hostname: string): string {
  return REGION.exec(hostname)?.[0] ?? optionalVariable(awsVariables.region) ?? DEFAULT_REGION;
}
