import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCurl } from '../support/curl.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';

/** The curl lines of the README, each as one command. */
const commands = readFileSync('README.md', 'utf8')
  .split('```')
  .filter((_, index) => index % 2 === 1)
  .flatMap((block) => block.split(/^(?=curl )/m).filter((part) => part.startsWith('curl ')));

let gateway: RunningGateway;
let generationId: string;
beforeAll(async () => {
  gateway = await startGateway();
  const ask = {
    model: 'sandbox/claude',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hi\n@sandbox delay=0' }],
  };
  generationId = (await post(gateway, '/messages', ask)).headers.get('x-generation-id')!;
});
afterAll(() => gateway.stop());

describe.skipIf(!hasCurl)('the README', () => {
  it('has lines for curl', () => expect(commands.length).toBeGreaterThan(4));

  it.each(commands)('has a line that works: %s', async (command) => {
    const here = command.replaceAll('http://127.0.0.1:8787', gateway.anthropicUrl);
    const env = { ...process.env, GATEWAY_KEY: gateway.key, MANAGEMENT_KEY: gateway.managementKey };
    const { stdout } = await promisify(execFile)('bash', ['-c', here], {
      encoding: 'utf8',
      env: { ...env, GENERATION_ID: generationId },
    });
    expect(stdout).not.toBe('');
    expect(stdout).not.toContain('"type":"error"');
  });
});
