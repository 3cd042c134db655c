import http, { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Baseline: Node passes on the bytes of a request and its answer, without reading them. Usage: `pipe.ts <upstream>`; it
 * prints its port and keeps running.
 */
const upstream = process.argv[2]!;
const agent = new http.Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const outgoing = http.request(
    `${upstream}${request.url}`,
    { method: request.method, headers: request.headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.on('error', () => response.destroy());
  request.pipe(outgoing);
});

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
