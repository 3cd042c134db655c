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
  readUser: () => { username: string } = userInfo,
): Promise<Actor> {
  if (!isOnAws) return { kind: 'operator', id: userName(readUser) };
  const { Arn } = await client.send(new GetCallerIdentityCommand({}));
  return { kind: 'operator', id: Arn ?? userName(readUser) };
}

/** Returns the name of this machine's user, or the uid: in a container, a user may have no name. */
function userName(readUser: () => { username: string }): string {
  try {
    return readUser().username;
  } catch {
    return `uid ${process.getuid!()}`;
  }
}
