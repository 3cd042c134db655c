import type { APIGatewayProxyEvent } from 'aws-lambda';

interface Sent {
  method: string;
  /** Resource that API Gateway matches, as in the template. */
  resource: string;
  /** Path as the client wrote it, after the stage. */
  path: string;
  /** Parameters of the path, still encoded, as API Gateway extracts them. */
  pathParameters: Record<string, string> | null;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Returns an event with the fields of format 1.0.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function restEvent({ method, resource, path, pathParameters, headers = {}, body }: Sent): APIGatewayProxyEvent {
  const all: Record<string, string> = {
    Accept: '*/*',
    'CloudFront-Viewer-Country': 'RU',
    Host: 'abcdefghij.execute-api.eu-central-1.amazonaws.com',
    'User-Agent': 'test/1.0',
    'X-Amzn-Trace-Id': 'Root=1-6740a0b1-0123456789abcdef01234567',
    'X-Forwarded-For': '203.0.113.7',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Proto': 'https',
    ...headers,
  };
  return {
    resource,
    path,
    httpMethod: method,
    headers: all,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      authorizer: null,
      protocol: 'HTTP/1.1',
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: '203.0.113.7',
        user: null,
        userAgent: 'test/1.0',
        userArn: null,
      },
      path: `/v1${path}`,
      stage: 'v1',
      requestId: 'b2c3d4e5-0000-4000-8000-000000000000',
      requestTime: '22/Nov/2026:12:00:00 +0000',
      requestTimeEpoch: 1_795_348_800_000,
      resourceId: '0a1b2c',
      resourcePath: resource,
      domainName: 'abcdefghij.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'abcdefghij',
      extendedRequestId: 'ABCDEFGHIJKLMNO=',
    },
    body: body ?? null,
    isBase64Encoded: false,
  };
}
