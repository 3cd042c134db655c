import { userInfo } from 'node:os';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { sdkSettings } from '../../../lambdas/platform/aws/sdk.ts';
import type { Actor } from '../../../lambdas/store/accounts/audit.ts';

/**
 * Returns the person who runs a command, for the audit log: the AWS identity for a table on AWS, or else the user of
 * this machine.
 */
export async function operatorOf(
  isOnAws: boolean,
  client: Pick<STSClient, 'send'> = new STSClient(sdkSettings),
): Promise<Actor> {
  if (!isOnAws) return { kind: 'operator', id: userInfo().username };
  // AWS always permits GetCallerIdentity, which changes nothing.
  const { Arn } = await client.send(new GetCallerIdentityCommand({}));
  return { kind: 'operator', id: Arn ?? userInfo().username };
}
