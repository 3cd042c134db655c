import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { sandboxModels } from './clients/report.ts';

/** An interpreter with the SDK, where there is one: `PYTHON=<path> npm test` names another. */
const python = process.env['PYTHON'] ?? 'python3';
const hasSdk = spawnSync(python, ['-c', 'import anthropic']).status === 0;
const program = fileURLToPath(new URL('./clients/python-sdk.py', import.meta.url));

describe.skipIf(!hasSdk)('the Anthropic SDK for Python', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it.each(sandboxModels())('works over $wire: text, streams, tools, searches with citations', async ({ model }) => {
    const { stdout } = await promisify(execFile)(python, [program, gateway.anthropicUrl, gateway.key, model]);
    expect(stdout.trim().split('\n')).toEqual(['text', 'stream', 'tool_loop', 'web_search', 'error']);
  });
});
