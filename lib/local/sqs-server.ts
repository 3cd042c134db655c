/** SQS in its own process, like DynamoDB: prints its port, and ends when its parent ends, in whatever way. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';

const app = buildApp({ logger: false, host: '127.0.0.1' });
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
process.stdin.resume();
await once(process.stdin, 'close');
process.exit(0);
