import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AwsError, isUncertain, type AwsCall } from '../../lambdas/platform/aws/aws-call.ts';
import { openAwsJson } from '../../lambdas/platform/aws/aws-json.ts';
import { toGatewayError } from '../../lambdas/platform/errors.ts';
import { listen } from '../support/listen.ts';

const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Seen {
  headers: IncomingMessage['headers'];
  body: string;
}

type Reply = (response: ServerResponse, seen: Seen) => void;

const role = {
  credentials: () => Promise.resolve({ accessKeyId: 'ID', secretAccessKey: 'SECRET', sessionToken: 'TOKEN' }),
  region: () => Promise.resolve('eu-central-1'),
};

/**
 * Starts a server that gives these answers in turn, and repeats the last one. `call` is signed with the credentials of
 * a role.
 */
async function service(...replies: Reply[]): Promise<{ call: AwsCall; seen: Seen[]; sockets: Set<unknown> }> {
  const seen: Seen[] = [];
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    void text(request).then((body) => {
      const one = { headers: request.headers, body };
      seen.push(one);
      replies[Math.min(seen.length, replies.length) - 1]!(response, one);
    });
  });
  servers.push(server);
  const { url } = await listen(server);
  const address = { id: 'DynamoDB', host: 'dynamodb' };
  const dynamodb = { name: 'dynamodb', target: 'DynamoDB_20120810', address, origin: url };
  return { call: openAwsJson(dynamodb, { identity: role }), seen, sockets };
}

const fine: Reply = (response) => response.end('{"Item":{"pk":{"S":"a"}}}');
const refusal =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const type = (code: string) => ({ __type: `com.amazonaws.dynamodb.v20120810#${code}` });
/** Returns the beginning of `x-amz-date`, up to the hour. */
const basicHour = (time: Date) => time.toISOString().replaceAll('-', '').slice(0, 'yyyymmddThh'.length);
const lost: Reply = (response) => response.destroy();

describe('a call of an AWS service', () => {
  it('names its operation, and returns the answer of the service', async () => {
    const { call, seen } = await service(fine);
    expect(await call('GetItem', { TableName: 't' })).toEqual({ Item: { pk: { S: 'a' } } });
    expect(seen[0]).toMatchObject({
      headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem', 'content-type': 'application/x-amz-json-1.0' },
      body: '{"TableName":"t"}',
    });
  });

  it('keeps its connection for the next call', async () => {
    const { call, sockets } = await service(fine);
    for (let count = 0; count < 3; count += 1) await call('GetItem', {});
    expect(sockets.size).toBe(1);
  });

  it.each([
    ['is throttled', refusal(400, type('ProvisionedThroughputExceededException'))],
    ['is still being carried out', refusal(400, type('TransactionInProgressException'))],
    ['fails in the service', refusal(500, type('InternalServerError'))],
    ['fails before the service', (response: ServerResponse) => response.writeHead(503).end('<html>')],
    ['loses its reply', lost],
  ])('that %s is retried with the same bytes', async (_, failure) => {
    const { call, seen } = await service(failure, failure, fine);
    await call('TransactWriteItems', { ClientRequestToken: 'once' });
    expect(seen.map(({ body }) => body)).toEqual(Array.from({ length: 3 }, () => '{"ClientRequestToken":"once"}'));
  });

  it('has at most four attempts', async () => {
    const { call, seen } = await service(refusal(400, { ...type('ThrottlingException'), message: 'slower' }));
    await expect(call('PutItem', {})).rejects.toMatchObject({ name: 'ThrottlingException', message: 'slower' });
    expect(seen).toHaveLength(4);
  });

  it('that is refused throws the reason, and is not retried', async () => {
    const details = { Item: { pk: { S: 'a' } } };
    const { call, seen } = await service(refusal(400, { ...type('ConditionalCheckFailedException'), ...details }));
    const error = await call('PutItem', {}).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ name: 'ConditionalCheckFailedException', status: 400, details });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['throttled', refusal(400, type('ThrottlingException')), false],
    ['answered with 503', (response: ServerResponse) => void response.writeHead(503).end(), true],
    ['without a reply', lost, true],
  ])('that is %s at every attempt is an overload for clients', async (_, failure, mayBeDone) => {
    const { call } = await service(failure);
    const error = await call('GetItem', {}).catch((cause: unknown) => cause);
    expect(toGatewayError(error)).toMatchObject({ status: 529, headers: { 'retry-after': '1' } });
    expect(isUncertain(error)).toBe(mayBeDone);
  });

  it('that is refused after an attempt without a reply reports both', async () => {
    const { call } = await service(lost, refusal(400, type('TransactionCanceledException')));
    const error = await call('TransactWriteItems', {}).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: 'TransactionCanceledException', isUncertain: true });
  });

  it('is abandoned at its deadline, and not retried', async () => {
    const { call, seen } = await service(() => undefined);
    await expect(call('Query', {}, { timeoutMs: 500 })).rejects.toThrow(/abort/i);
    expect(seen).toHaveLength(1);
  });

  it('without a reply is retried after three seconds', async () => {
    const { call, seen } = await service(() => undefined, fine);
    const startedMs = performance.now();
    await call('GetItem', {});
    expect(performance.now() - startedMs).toBeGreaterThan(2_900);
    expect(seen).toHaveLength(2);
  });

  it('is signed by the clock of the service if the local clock is wrong', async () => {
    const hourAhead = new Date(Date.now() + 3_600_000);
    const skewed = refusal(400, type('InvalidSignatureException'), { date: hourAhead.toUTCString() });
    const { call, seen } = await service(skewed, fine);
    await call('GetItem', {});
    expect(seen[1]!.headers['x-amz-date']).toContain(basicHour(hourAhead));
  });

  it('is signed again if another call corrected the clock while this call was running', async () => {
    const hourAhead = new Date(Date.now() + 3_600_000);
    const skewed = refusal(400, type('InvalidSignatureException'), { date: hourAhead.toUTCString() });
    const { call, seen } = await service((response, one) => {
      const isCorrected = one.headers['x-amz-date']!.toString().startsWith(basicHour(hourAhead));
      (isCorrected ? fine : skewed)(response, one);
    });
    await Promise.all(Array.from({ length: 3 }, () => call('GetItem', {})));
    expect(seen).toHaveLength(6);
  });

  it('with a wrong signature is refused after one attempt', async () => {
    const { call, seen } = await service(refusal(400, type('InvalidSignatureException')));
    await expect(call('GetItem', {})).rejects.toMatchObject({ name: 'InvalidSignatureException' });
    expect(seen).toHaveLength(1);
  });

  it('is signed with the credentials of the role, as AWS documents', async () => {
    const { call, seen } = await service(fine);
    await call('GetItem', { TableName: 't' });
    const { headers, body } = seen[0]!;
    expect(headers['x-amz-security-token']).toBe('TOKEN');

    const signer = new SignatureV4({ ...role, service: 'dynamodb', sha256: Hash.bind(null, 'sha256') });
    const { authorization, 'x-amz-date': date = '' } = headers as Record<string, string>;
    const signedHeaders = /SignedHeaders=([^,]+)/.exec(authorization!)![1]!.split(';');
    const expected = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: '/',
        headers: Object.fromEntries(
          signedHeaders
            .filter((name) => !['x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'].includes(name))
            .map((name) => [name, headers[name] as string]),
        ),
        body,
      },
      { signingDate: new Date(date.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5')) },
    );
    expect(authorization).toBe(expected.headers['authorization']);
    expect(authorization).toContain('/eu-central-1/dynamodb/aws4_request');
  });
});
