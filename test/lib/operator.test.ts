import { userInfo } from 'node:os';
import type { STSClient } from '@aws-sdk/client-sts';
import { expect, it } from 'vitest';
import { operatorOf } from '../../lib/admin/session/operator.ts';

const caller = (answer: object) => ({ send: async () => answer }) as unknown as STSClient;

it('on AWS, the operator is the ARN that STS reports', async () => {
  const arn = 'arn:aws:sts::123456789012:assumed-role/Operator/ann';
  expect(await operatorOf(true, caller({ Arn: arn }))).toEqual({ kind: 'operator', id: arn });
});

it('without AWS, the operator is the user of this machine, and STS is not called', async () => {
  const nobody = { send: () => Promise.reject(new Error('asked')) } as unknown as STSClient;
  expect(await operatorOf(false, nobody)).toEqual({ kind: 'operator', id: userInfo().username });
});

const nameless = () => {
  throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
};

it('a user without a name, as in some containers, is named by the user id', async () => {
  expect(await operatorOf(false, caller({}), nameless)).toEqual({ kind: 'operator', id: `uid ${process.getuid!()}` });
});
