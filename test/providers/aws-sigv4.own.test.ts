import { afterEach, describe, expect, it } from 'vitest';
import { isSignedWith, type SignedRequest } from '../../lib/local/sandbox/aws-signature.ts';
import { authorizer } from '../../lambdas/providers/authorization/schemes.ts';

const key = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const credential = `${key.id}:${key.secret}`;
const body = Buffer.from('{"messages":[]}');
const nova = '/model/us.amazon.nova-2-lite-v1%3A0/converse-stream';

async function signed(more: { credential?: string; host?: string; path?: string } = {}): Promise<SignedRequest> {
  const { host = 'bedrock-runtime.eu-west-1.amazonaws.com', path = nova } = more;
  const headers = { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' };
  const request = { url: `https://${host}${path}`, headers, body };
  const added = await authorizer('aws-sigv4')(more.credential ?? credential, request, {});
  return { method: 'POST', url: path, headers: { ...headers, host, ...added }, body };
}

/** AWS's published test vectors for version 4. */
const published: [string, SignedRequest, signedHeaders: string, signature: string][] = [
  [
    'get-vanilla',
    { method: 'GET', url: '/', headers: {}, body: Buffer.alloc(0) },
    'host;x-amz-date',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'post-vanilla',
    { method: 'POST', url: '/', headers: {}, body: Buffer.alloc(0) },
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-x-www-form-urlencoded',
    {
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('Param1=value1'),
    },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
];

describe('the reference check of signatures', () => {
  it.each(published)('accepts the published example: %s', (_name, request, signedHeaders, signature) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    const headers = {
      ...request.headers,
      host: 'example.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
      authorization,
    };

    expect(isSignedWith(key, { ...request, headers })).toBe(true);
  });
});

describe('a request signed with SigV4', () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;

  afterEach(() => {
    for (const [name, value] of Object.entries({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it.each([
    ['a model id with a colon', nova],
    [
      'a model id that is an ARN',
      '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fmine/converse-stream',
    ],
    ['of the Messages API', '/anthropic/v1/messages'],
  ])('has the signature that AWS computes: %s', async (_name, path) => {
    expect(isSignedWith(key, await signed({ path }))).toBe(true);
  });

  it('has another signature if anything in it changes', async () => {
    const request = await signed();
    const changed: SignedRequest[] = [
      { ...request, body: Buffer.from('{"messages":[1]}') },
      { ...request, url: request.url.replace('lite', 'pro') },
      { ...request, headers: { ...request.headers, 'content-type': 'text/plain' } },
      { ...request, headers: { ...request.headers, host: 'elsewhere.example' } },
    ];

    expect(changed.map((other) => isSignedWith(key, other))).toEqual([false, false, false, false]);
  });

  it.each([
    ['bedrock-runtime.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['vpce-1.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com', 'ap-southeast-2'],
    ['127.0.0.1:8080', process.env['AWS_REGION'] ?? 'us-east-1'],
  ])('has the region of its address: %s', async (host, region) => {
    const { headers } = await signed({ host });

    expect(headers['authorization']).toContain(`/${region}/bedrock/aws4_request`);
  });

  it('has the token of temporary credentials, and signs it', async () => {
    const { headers } = await signed({ credential: `${credential}:token/with+signs==` });

    expect(headers['x-amz-security-token']).toBe('token/with+signs==');
    expect(headers['authorization']).toContain('x-amz-security-token');
  });

  it('is signed with the role of the function if the credential is "role"', async () => {
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: 'ROLE',
      AWS_SECRET_ACCESS_KEY: 'own',
      AWS_SESSION_TOKEN: 'passing',
    });

    const request = await signed({ credential: 'role' });

    expect(request.headers['x-amz-security-token']).toBe('passing');
    expect(isSignedWith({ id: 'ROLE', secret: 'own' }, request)).toBe(true);
  });

  it('is not sent with a credential of another form, and the error does not contain it', async () => {
    const attempt = signed({ credential: 'sk-secret-of-another-provider' });

    await expect(attempt).rejects.toThrow(/not <access key id>/);
    await expect(attempt).rejects.not.toThrow(/sk-secret/);
  });
});
