import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';

/**
 * SQS in a process of its own, as DynamoDB is: prints its port, and ends when the process that started it does, however
 * that ends.
 */
const app = buildApp({ logger: false, host: '127.0.0.1' });
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
process.stdin.resume();
await once(process.stdin, 'close');
process.exit(0);
