import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { normaliseRequest } from '../../lambdas/http/request.ts';

/** An event in the format of a REST API. */
const restEvent = (more: Partial<APIGatewayProxyEvent> = {}) =>
  ({
    httpMethod: 'POST',
    path: '/v1/keys/a%20b',
    headers: { 'X-Api-Key': 'k', Host: 'h' },
    multiValueHeaders: { 'X-Api-Key': ['k'], Host: ['h'] },
    queryStringParameters: { limit: '2' },
    multiValueQueryStringParameters: { limit: ['2'] },
    pathParameters: { hash: 'a%20b' },
    body: '{"a":1}',
    isBase64Encoded: false,
    requestContext: { identity: { sourceIp: '203.0.113.7' } },
    ...more,
  }) as unknown as APIGatewayProxyEvent;

/** An event in the format of a function URL. */
const urlEvent = (more: Partial<APIGatewayProxyEventV2> = {}) =>
  ({
    version: '2.0',
    rawPath: '/v1/messages',
    rawQueryString: 'limit=2&q=a%20b+c',
    headers: { 'X-Api-Key': 'k' },
    body: '{"a":1}',
    isBase64Encoded: false,
    requestContext: { http: { method: 'POST', sourceIp: '203.0.113.7' } },
    ...more,
  }) as unknown as APIGatewayProxyEventV2;

describe('a request through the REST API', () => {
  it('has the values of its event', () => {
    expect(normaliseRequest(restEvent())).toMatchObject({
      method: 'POST',
      path: '/v1/keys/a%20b',
      unrouted: false,
      headers: { 'x-api-key': 'k', host: 'h' },
      query: { limit: '2' },
      pathParameters: { hash: 'a b' },
      body: '{"a":1}',
    });
  });

  it.each([
    ['ann%40example.com', 'ann@example.com'],
    ['anthropic%2Fclaude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['deepseek/deepseek-v4%3Afree', 'deepseek/deepseek-v4:free'],
    ['%D0%BC%D0%B8%D1%80', 'мир'],
    ['a+b', 'a+b'],
    ['100%25', '100%'],
    ['%zz', '%zz'],
    ['%ff', '%ff'],
  ])('has the part %s of its path decoded, once', (written, part) => {
    expect(normaliseRequest(restEvent({ pathParameters: { part: written } })).pathParameters).toEqual({ part });
  });

  it.each([
    // The API's own address, with its stage.
    { path: '/models/a/b', inContext: '/v1/models/a/b', baseUrl: 'https://api.example/v1' },
    // A custom domain, with and without a base path.
    { path: '/llm/v1/models/a/b', inContext: '/llm/v1/models/a/b', baseUrl: 'https://api.example/llm/v1' },
    { path: '/models/a/b', inContext: '/models/a/b', baseUrl: 'https://api.example' },
  ])('has its path, and the base URL in front of it: $inContext', ({ path, inContext, baseUrl }) => {
    const event = restEvent({
      resource: '/models/{slug+}',
      path,
      pathParameters: { slug: 'a/b' },
      requestContext: { path: inContext, domainName: 'api.example', identity: {} } as never,
    });

    expect(normaliseRequest(event)).toMatchObject({ path: '/models/a/b', baseUrl });
  });

  it.each([
    { resource: '/videos', path: '/llm/videos/', own: '/videos/', baseUrl: 'https://api.example/llm' },
    { resource: '/videos', path: '/videos/', own: '/videos/', baseUrl: 'https://api.example' },
    { resource: '/', path: '/llm', own: '', baseUrl: 'https://api.example/llm' },
    { resource: '/{path+}', path: '/llm/a/b/', own: '/a/b/', baseUrl: 'https://api.example/llm' },
  ])('has its path without a base path, with or without final slashes: $path', ({ resource, path, own, baseUrl }) => {
    const event = restEvent({
      resource,
      path,
      pathParameters: { path: 'a/b' },
      requestContext: { path, domainName: 'api.example', identity: {} } as never,
    });

    expect(normaliseRequest(event)).toMatchObject({ path: own, baseUrl });
  });

  it('has repeated headers in one value', () => {
    const event = restEvent({
      headers: { 'Anthropic-Beta': 'b' },
      multiValueHeaders: { 'Anthropic-Beta': ['a', 'b'] },
    });

    expect(normaliseRequest(event).headers).toEqual({ 'anthropic-beta': 'a, b' });
  });

  it('may have only a method and a path', () => {
    const event = restEvent({
      headers: null as never,
      multiValueHeaders: null as never,
      queryStringParameters: null,
      pathParameters: null,
      body: null,
      requestContext: {} as never,
    });

    expect(normaliseRequest(event)).toMatchObject({ headers: {}, query: {}, pathParameters: {}, body: '' });
  });
});

describe('a request through the function URL', () => {
  it('has the values of its event, and an unmatched path', () => {
    expect(normaliseRequest(urlEvent())).toMatchObject({
      method: 'POST',
      path: '/v1/messages',
      unrouted: true,
      headers: { 'x-api-key': 'k' },
      query: { limit: '2', q: 'a b c' },
      pathParameters: {},
    });
  });
});

describe.each([
  ['REST API', restEvent],
  ['function URL', urlEvent],
])('any request through the %s', (_door, eventWith) => {
  it('is decoded if its body is base64', () => {
    const body = Buffer.from('{"name":"Ада"}').toString('base64');

    expect(normaliseRequest(eventWith({ body, isBase64Encoded: true })).body).toBe('{"name":"Ада"}');
  });

  it('has its own id', () => {
    const [one, other] = [normaliseRequest(eventWith()), normaliseRequest(eventWith())];

    expect(one.id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(other.id).not.toBe(one.id);
  });
});

describe('a repeated parameter of a query', () => {
  it.each([
    [
      'the REST API',
      restEvent({ multiValueQueryStringParameters: { 'stage[]': ['a', 'b'], limit: ['1', '2'], tag: ['x:1', 'y:2'] } }),
    ],
    ['a function URL', urlEvent({ rawQueryString: 'stage%5B%5D=a&limit=1&stage[]=b&limit=2&tag=x:1&tag=y:2' })],
  ])('has all its values, through %s', (_, event) => {
    expect(normaliseRequest(event).query).toEqual({ 'stage[]': 'a,b', limit: '1,2', tag: 'x:1\ny:2' });
  });
});

it.each([
  ['different names', (at: number) => at.toString(36)],
  ['one name', () => 'tag'],
])('a query with many parameters of %s is read in linear time', (_, nameAt) => {
  const rawQueryString = Array.from({ length: 40_000 }, (_value, at) => nameAt(at)).join('&');
  const before = performance.now();
  normaliseRequest(urlEvent({ rawQueryString }));

  expect(performance.now() - before).toBeLessThan(2_000);
});
