import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { freePort } from '../../lib/shared/free-port.ts';
import { runSmoke } from '../../lib/smoke/run.ts';
import { startBreakingProxy, type Breakage } from '../support/breaking-proxy.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { startGateway, type GatewayClient, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';

let gateway: GatewayClient;
/** Gateway whose worker cannot settle anything. */
let unsettling: RunningGateway;
let table: FaultProxy;
beforeAll(async () => {
  table = await startFaultProxy(inject('dynamodbEndpoint'));
  table.faultFor = ({ action, body }) =>
    action === 'TransactWriteItems' && body.includes('"final"') ? 'unavailable' : undefined;
  [gateway, unsettling] = await Promise.all([
    commonGateway(),
    startGateway({ env: { DYNAMODB_ENDPOINT: table.endpoint } }),
  ]);
});
afterAll(async () => {
  table.faultFor = () => undefined;
  await unsettling.stop();
  await table.stop();
});

const servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

interface Report {
  passed: boolean;
  results: { check: string; result: string; says: string }[];
}

async function reportOf(args: string[]): Promise<{ code: number; report: Report }> {
  let text = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    const code = await runSmoke(['--json', '--settled-within', '5', ...args], {});
    return { code, report: JSON.parse(text) as Report };
  } finally {
    spy.mockRestore();
  }
}

/** Returns the report about a server that answers every request in the same way. */
async function reportOn(answer: http.RequestListener) {
  const server = await listen(http.createServer(answer));
  servers.push(server);
  return reportOf(['--url', server.url, '--key', 'sk-mg-v1-0', '--model', 'a/b']);
}

/** Returns the report about a gateway. `addresses` can name proxies in front of it. */
async function reportOnGateway(
  { baseUrl, streamingUrl, key, managementKey }: GatewayClient,
  addresses: { url?: string; streamingUrl?: string } = {},
) {
  const at = ['--url', addresses.url ?? baseUrl, '--streaming-url', addresses.streamingUrl ?? streamingUrl];
  return reportOf([...at, '--key', key, '--management-key', managementKey]);
}

async function startBroken(breakage: Breakage): Promise<Listening> {
  const proxy = await startBreakingProxy(gateway.anthropicUrl, breakage);
  servers.push(proxy);
  return proxy;
}

const failuresIn = ({ results }: Report) =>
  Object.fromEntries(results.filter(({ result }) => result === 'failed').map(({ check, says }) => [check, says]));

const checksWith = ({ results }: Report, wanted: string) =>
  results.filter(({ result }) => result === wanted).map(({ check }) => check);

const isManaging = ({ authorization }: http.OutgoingHttpHeaders) => authorization?.includes('mk-mg-v1-') === true;

/** One fault each: the check that must fail, and its message, which names the fault and the fix. */
const broken: [string, Breakage, string, RegExp[]][] = [
  [
    'keeps streams until they end',
    { isBuffering: true },
    'streams',
    [
      /all \d+ events arrived at once, after \d+ ms/,
      /Switch off its buffering.*integration of POST \/messages streams/,
    ],
  ],
  [
    'unpacks answers',
    { request: ({ headers }) => delete headers['accept-encoding'] },
    'compresses lists',
    [/content-encoding is absent, not gzip/, /proxy or CDN in front removes accept-encoding/],
  ],
  [
    'answers its own page for unknown paths',
    {
      answer: (answer) => {
        if (answer.status !== 404 || answer.path.includes('/generation?')) return;
        Object.assign(answer, { headers: { 'content-type': 'text/html' }, body: '<html>Not here</html>' });
      },
    },
    'answers 404 for unknown routes',
    [
      /answered 404 with a body that is not JSON \(text\/html\): <html>/,
      /pass on the gateway's responses, including errors/,
    ],
  ],
  [
    'removes the headers that let pages read answers',
    {
      answer: ({ status, headers }) => {
        if (status !== 204) delete headers['access-control-allow-origin'];
      },
    },
    'allows the configured origins',
    [/preflight response allows pages of any origin, but.*no page of another origin/, /access-control-allow-origin/],
  ],
  [
    'removes headers of the gateway',
    { answer: ({ headers }) => delete headers['x-generation-id'] },
    'answers',
    [/x-generation-id is absent, not gen-/, /pass on response headers/],
  ],
  [
    'accepts requests without a key',
    {
      request: ({ headers }) => {
        if (!isManaging(headers)) headers.authorization = `Bearer ${gateway.key}`;
      },
    },
    'refuses unknown keys',
    [/a request without a key was accepted with \d+ instead of 401, so anyone can spend money/, /Close the address/],
  ],
  [
    'removes keys',
    {
      request: ({ headers }) => {
        if (!isManaging(headers)) delete headers.authorization;
      },
    },
    'accepts the key',
    [/the key is refused: 401 .*No API key was sent/, /passes on the authorization header/],
  ],
];

describe('a smoke check of a deployment that', () => {
  it.each(broken)('%s fails only the check of this fault, and reports the cause', async (_, breakage, check, words) => {
    const { url } = await startBroken(breakage);

    const { code, report } = await reportOnGateway(gateway, { url });

    const failures = failuresIn(report);
    expect(Object.keys(failures)).toEqual([check]);
    for (const said of words) expect(failures[check]).toMatch(said);
    expect([code, report.passed]).toEqual([1, false]);
  });

  it('never settles fails only the check of settlement, which names the next place to look', async () => {
    const { report } = await reportOnGateway(unsettling);

    expect(failuresIn(report)).toEqual({
      settles: expect.stringMatching(
        /not settled within 5 s: GET \/generation still returns 404.*Check the log, the queue and the dead letters of finalize-cost/,
      ) as string,
    });
  });

  it('has no server at the streaming address fails only the streaming check, which names the option to set', async () => {
    const { report } = await reportOnGateway(gateway, { streamingUrl: `http://127.0.0.1:${await freePort()}` });

    expect(failuresIn(report)).toEqual({
      'streams at its own URL': expect.stringMatching(
        /no response from http:.*ECONNREFUSED.*\. Is http:.* the output StreamingUrl of this deployment/,
      ) as string,
    });
  });

  it('has another gateway at the streaming address fails only the streaming check, which names the option to set', async () => {
    const { report } = await reportOnGateway(gateway, { streamingUrl: unsettling.streamingUrl });

    expect(failuresIn(report)).toEqual({
      'streams at its own URL': expect.stringMatching(
        /answered 401, not 200: .*\. Is http:.* the output StreamingUrl of this deployment/,
      ) as string,
    });
  });

  it('refuses the key skips the checks that need a key', async () => {
    const { report } = await reportOf(['--url', gateway.baseUrl, '--key', `sk-mg-v1-${'1'.repeat(64)}`]);

    expect(Object.keys(failuresIn(report))).toEqual(['accepts the key']);
    expect(checksWith(report, 'ok')).toEqual([
      'lists models',
      'compresses lists',
      'refuses unknown keys',
      'allows the configured origins',
    ]);
  });

  it('allows no origin fails the check of a given origin', async () => {
    const { url } = await startBroken({ answer: ({ headers }) => delete headers['access-control-allow-origin'] });

    const { report } = await reportOf(['--url', url, '--key', gateway.key, '--origin', 'https://app.example.com']);

    expect(failuresIn(report)).toEqual({
      'allows the configured origins': expect.stringMatching(
        /app\.example\.com may not call the gateway: add the origin to gateway:corsOrigins/,
      ) as string,
    });
  });
});

describe('a smoke check', () => {
  it('of a gateway started by npm start passes every check', async () => {
    const addresses = ['--url', gateway.baseUrl, '--streaming-url', gateway.streamingUrl];
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'smoke', '--', '--json', ...addresses], {
      env: { ...process.env, GATEWAY_KEY: gateway.key, MANAGEMENT_KEY: gateway.managementKey },
    });

    const report = JSON.parse(stdout) as Report;
    expect(failuresIn(report)).toEqual({});
    expect(checksWith(report, 'ok')).toHaveLength(14);
    expect(report.passed).toBe(true);
  });

  it('uses the model that costs least, including its fee per request', async () => {
    const { report } = await reportOnGateway(gateway);

    const { says } = report.results.find(({ check }) => check === 'lists models')!;
    expect(says).toMatch(/using sandbox\/(gpt|reasoner)$/);
  });

  it('shows the unexpected answer', async () => {
    const { report } = await reportOn((_, response) => response.writeHead(500).end('{"message":"Broken"}'));
    expect(report.results[0]!.says).toBe('answered 500, not 200: {"message":"Broken"}');
  });

  it('fails for answers of another shape', async () => {
    const { code, report } = await reportOn((_, response) => response.end('{"data":{}}'));
    expect([code, report.passed]).toEqual([1, false]);
    expect(failuresIn(report)['refuses unknown keys']).toMatch('was accepted with');
  });

  it('skips checks whose key is missing', async () => {
    const { report } = await reportOn((_, response) => response.end('{}'));
    expect(checksWith(report, 'skipped')).toContain('can be managed');
  });

  it('does not expect a short list of models to be compressed', async () => {
    const { report } = await reportOn((_, response) => response.end('{"data":[{"id":"a/b"}]}'));
    expect(checksWith(report, 'skipped')).toContain('compresses lists');
  });

  it.each([
    [[], /Pass the deployment to check with --url and --key/],
    [['--url', 'nonsense', '--key', 'a'], /--url must be a URL/],
    [['--url', 'http://a', '--key', 'a', '--settled-within', 'long'], /whole number of seconds from 1 to 600/],
    [['--colour'], /Unknown option/],
  ])('refuses arguments with a message: %j', async (args, words) => {
    await expect(runSmoke(args, {})).rejects.toThrow(words);
  });
});
