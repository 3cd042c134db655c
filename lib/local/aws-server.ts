/**
 * Program that runs the emulators of SQS and S3, with their data in memory. It prints its port, and ends when its
 * parent ends. The emulators have no access control, so this program checks signatures.
 */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { objectionToSignature } from './signed-requests.ts';

const app = buildApp({ logger: false, host: '127.0.0.1' });
app.addHook('onRequest', async ({ method, raw, headers }, reply) => {
  const objection = objectionToSignature({ method, url: raw.url!, headers }, localCredentials, Date.now());
  if (objection) await reply.code(403).type('application/xml').send(objection);
  // In a deployment, the bucket's CORS rule adds this header.
  else if (method === 'GET' && headers.origin !== undefined) reply.header('access-control-allow-origin', '*');
});
// The emulator fauxqs accepts characters that SQS refuses, so this hook refuses them with SQS's error.
app.addHook('preHandler', async ({ body, headers }, reply) => {
  const isSqs = headers['content-type']?.startsWith('application/x-amz-json') === true;
  if (!isSqs || !/[\uFFFE\uFFFF]/.test(JSON.stringify(body))) return;
  const message = 'The message contains characters outside the allowed set.';
  await reply.code(400).send({ __type: 'com.amazonaws.sqs#InvalidMessageContents', message });
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
process.stdin.resume();
await once(process.stdin, 'close');
process.exit(0);
