import { userInfo } from 'node:os';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { sdkSettings } from '../../../lambdas/platform/aws/sdk.ts';
import type { Actor } from '../../../lambdas/store/accounts/audit.ts';

/** Who runs a command, for the audit: on AWS whom AWS knows the caller as, on this machine the person who is logged in. */
export async function operatorOf(
  isOnAws: boolean,
  client: Pick<STSClient, 'send'> = new STSClient(sdkSettings),
): Promise<Actor> {
  if (!isOnAws) return { kind: 'operator', id: userInfo().username };
  // No policy can deny this call, and it changes nothing.
  const { Arn } = await client.send(new GetCallerIdentityCommand({}));
  return { kind: 'operator', id: Arn ?? userInfo().username };
}
