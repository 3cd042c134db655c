import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** Request from a function, expressed as the permission that it needs. */
interface ServiceCall {
  functionName: string;
  /** Action, for example sqs:SendMessage, also for a batch. */
  action: string;
  /** Name of a queue, secret or bucket, or `<bucket>/<key>`. */
  resource: string;
}

/** Proxies in front of SQS, S3 and Secrets Manager that record each call with its caller. */
export interface RecordedServices {
  calls: ServiceCall[];
  /** Environment of a gateway whose functions call these proxies. */
  env: Record<string, string>;
  stop: () => Promise<void>;
}

const agent = new http.Agent({ keepAlive: true });

/**
 * Starts the proxies.
 * @param secretsManager endpoint of Secrets Manager. The proxies learn the endpoints of SQS and S3 when the gateway
 *   starts its first function.
 */
export async function startRecordedServices(
  functionNames: readonly string[],
  secretsManager: string,
): Promise<RecordedServices> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-services-'));
  const servicesFile = join(directory, 'endpoint');
  const calls: ServiceCall[] = [];

  async function pass(functionName: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { action, resource } = calledBy(request, body);
    calls.push({ functionName, action, resource });
    const target = action.startsWith('secretsmanager:') ? secretsManager : readFileSync(servicesFile, 'utf8');
    const { method, url, headers } = request;
    const outgoing = http.request(new URL(url!, target), { method: method!, headers, agent });
    outgoing.end(body);
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.writeHead(reply.statusCode!, reply.headers);
    response.end(await buffer(reply));
  }

  const servers = await Promise.all(
    functionNames.map(async (name) => {
      const server = createServer((request, response) => {
        void pass(name, request, response).catch(() => response.destroy());
      });
      return [name, await listen(server)] as const;
    }),
  );
  const ports = Object.fromEntries(servers.map(([name, { url }]) => [name, new URL(url).port]));
  return {
    calls,
    env: { TEST_FUNCTION_PORTS: JSON.stringify(ports), TEST_SERVICES_FILE: servicesFile },
    async stop() {
      await Promise.all(servers.map(([, server]) => server.stop()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function calledBy({ method, url, headers }: IncomingMessage, body: Buffer): Pick<ServiceCall, 'action' | 'resource'> {
  const [service, operation = ''] = String(headers['x-amz-target'] ?? '').split('.') as [string, string?];
  if (service === '') return calledOfS3(method!, new URL(url!, 'http://s3'));
  const { QueueUrl: queueUrl, SecretId: secretId } = JSON.parse(body.toString('utf8')) as Record<string, string>;
  if (service === 'secretsmanager') return { action: `secretsmanager:${operation}`, resource: secretId! };
  return { action: `sqs:${operation.replace(/Batch$/, '')}`, resource: queueUrl!.split('/').at(-1)! };
}

/**
 * Returns the permission that a call to S3 needs, and its resource.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
function calledOfS3(method: string, { pathname, searchParams }: URL): Pick<ServiceCall, 'action' | 'resource'> {
  const resource = decodeURIComponent(pathname.slice(1));
  if (!resource.includes('/')) return { action: 's3:ListBucket', resource };
  const isOfUpload = searchParams.has('uploadId');
  const actions: Record<string, string> = {
    GET: 's3:GetObject',
    HEAD: 's3:GetObject',
    PUT: 's3:PutObject',
    POST: 's3:PutObject',
    DELETE: isOfUpload ? 's3:AbortMultipartUpload' : 's3:DeleteObject',
  };
  return { action: actions[method]!, resource };
}
