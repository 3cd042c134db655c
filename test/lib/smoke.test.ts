import http from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runSmoke } from '../../lib/smoke/run.ts';
import { listen, type Listening } from '../support/listen.ts';

const servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

interface Report {
  passed: boolean;
  results: { check: string; result: string; says: string }[];
}

/** What is said of a server that answers everything in one way. */
async function reportOn(answer: http.RequestListener): Promise<{ code: number; report: Report }> {
  const server = await listen(http.createServer(answer));
  servers.push(server);
  let text = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    const code = await runSmoke(['--json', '--url', server.url, '--key', 'sk-mg-v1-0', '--model', 'a/b'], {});
    return { code, report: JSON.parse(text) as Report };
  } finally {
    spy.mockRestore();
  }
}

describe('a smoke check', () => {
  it.each<[string, http.RequestListener]>([
    ['fails with 500', (_, response) => response.writeHead(500).end('{}')],
    ['answers nonsense', (_, response) => response.end('<html>')],
    ['answers JSON of another shape', (_, response) => response.end('{"data":{}}')],
    ['breaks off', (_, response) => response.destroy()],
    ['takes every key', (_, response) => response.end('{"data":[{"id":"a/b"}]}')],
  ])('of a server that %s has failed', async (_, answer) => {
    const { code, report } = await reportOn(answer);
    expect([code, report.passed]).toEqual([1, false]);
    for (const { result, says } of report.results) if (result === 'failed') expect(says).not.toBe('');
    expect(report.results.find(({ check }) => check === 'refuses strangers')!.result).toBe('failed');
  });

  it('says what it was answered', async () => {
    const { report } = await reportOn((_, response) => response.writeHead(403).end('{"message":"Forbidden"}'));
    expect(report.results[0]!.says).toBe('answered 403, not 200: {"message":"Forbidden"}');
  });

  it('skips what it was given no key for', async () => {
    const { report } = await reportOn((_, response) => response.end('{}'));
    expect(report.results.find(({ check }) => check === 'can be managed')!.result).toBe('skipped');
  });

  it('does not expect a short list of models to be compressed', async () => {
    const { report } = await reportOn((_, response) => response.end('{"data":[{"id":"a/b"}]}'));
    expect(report.results.find(({ check }) => check === 'compresses lists')!.result).toBe('skipped');
  });

  it.each([
    [[], /Say what to check with --url and --key/],
    [['--url', 'nonsense', '--key', 'a'], /--url must be a URL/],
    [['--colour'], /Unknown option/],
  ])('says what it needs: %j', async (args, words) => {
    await expect(runSmoke(args, {})).rejects.toThrow(words);
  });
});
