/** Signed calls to the emulated account. */

import { newAwsSigner } from '../../../lambdas/platform/aws/aws-signer.ts';
import { StartFailure } from '../../../lib/shared/failure.ts';
import { EMULATED_REGION, type MiniStack } from './ministack.ts';

/**
 * Calls an AWS API with form parameters and XML responses.
 * @throws {StartFailure} for an error response
 */
async function callQueryApi(
  { endpoint, environment }: MiniStack,
  service: { name: string; version: string },
  fields: Record<string, string>,
): Promise<string> {
  const { host, hostname, port } = new URL(endpoint);
  const body = new URLSearchParams({ Version: service.version, ...fields }).toString();
  const credentials = {
    accessKeyId: environment['AWS_ACCESS_KEY_ID']!,
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY']!,
  };
  const signer = newAwsSigner({ credentials, region: EMULATED_REGION, service: service.name });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: 'https:',
    hostname,
    port: Number(port),
    path: '/',
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  const response = await fetch(endpoint, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new StartFailure(`${fields['Action']} was refused: ${text.slice(0, 500)}`);
  return text;
}

export async function unprotectStack(emulator: MiniStack, stack: string): Promise<void> {
  const fields = { Action: 'UpdateTerminationProtection', EnableTerminationProtection: 'false', StackName: stack };
  await callQueryApi(emulator, { name: 'cloudformation', version: '2010-05-15' }, fields);
}

/** Returns environment variables with temporary credentials of the role. */
export async function assumeRole(emulator: MiniStack, role: string): Promise<Record<string, string>> {
  const fields = { Action: 'AssumeRole', RoleArn: role, RoleSessionName: 'drill' };
  const answer = await callQueryApi(emulator, { name: 'sts', version: '2011-06-15' }, fields);
  const valueOf = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer)?.[1] ?? '';
  return {
    AWS_ACCESS_KEY_ID: valueOf('AccessKeyId'),
    AWS_SECRET_ACCESS_KEY: valueOf('SecretAccessKey'),
    AWS_SESSION_TOKEN: valueOf('SessionToken'),
  };
}
