import { createServer } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { toGatewayError } from '../../lambdas/platform/errors.ts';
import { openBucket } from '../../lambdas/platform/aws/objects.ts';
import { openQueue } from '../../lambdas/platform/queues/queue.ts';
import { freePort } from '../../lib/shared/free-port.ts';
import { listen } from '../support/listen.ts';
import { setEnvironment } from '../support/process-environment.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function servicesAt(url: string): void {
  const variable = queueVariable('advance-videos');
  const settings = { [variables.s3Endpoint]: url, [variables.sqsEndpoint]: url, [variable]: `${url}/1/jobs` };
  ends.push(setEnvironment({ ...settings, [variables.bucketName]: 'files', [variables.localSecret]: 'secret' }));
}

/** Returns the response to a client whose request has failed in this way. */
async function refusalOf(failing: Promise<unknown>): Promise<{ status: number; headers: object }> {
  const error = await failing.then(
    () => Promise.reject(new Error('It did not fail')),
    (reason: unknown) => reason,
  );
  const { status, headers } = toGatewayError(error);
  return { status, headers };
}

const busy = { status: 529, headers: { 'retry-after': expect.any(String) as string } };
const sendJob = () => openQueue(queueVariable('advance-videos')).send('{}');
const keepFile = () => openBucket().put('a', Buffer.from('b'), 'text/plain');

it('an unreachable queue or bucket is an overload of the gateway, which the client may retry', async () => {
  servicesAt(`http://127.0.0.1:${await freePort()}`);

  expect(await refusalOf(sendJob())).toMatchObject(busy);
  expect(await refusalOf(keepFile())).toMatchObject(busy);
});

it('a message that SQS could not store is an overload as well, and a rejected message is a fault', async () => {
  const entry = vi.fn(() => ({ Id: '0', Code: 'InternalError', SenderFault: false }));
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(JSON.stringify({ Failed: [entry()] })));
  });
  const { url, stop } = await listen(server);
  ends.push(stop);
  servicesAt(url);

  expect(await refusalOf(sendJob())).toMatchObject(busy);
  entry.mockReturnValue({ Id: '0', Code: 'InvalidMessageContents', SenderFault: true });
  expect(await refusalOf(sendJob())).toMatchObject({ status: 500 });
});
