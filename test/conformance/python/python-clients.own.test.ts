/**
 * Python clients, installed with `pip install -r test/conformance/python/requirements.txt`. A client that is not
 * installed is skipped, unless PYTHON_CLIENTS=required. PYTHON names the interpreter.
 */

import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxModels } from '../clients/report.ts';
import { startGateway, type RunningGateway } from '../../support/gateway.ts';

const python = process.env['PYTHON'] ?? 'python3';
const isRequired = process.env['PYTHON_CLIENTS'] === 'required';

/** Each program has the module that it needs, and the number of checks that it prints. */
const clients = [
  { program: 'anthropic_sdk.py', module: 'anthropic', checks: 5 },
  { program: 'openai_sdk.py', module: 'openai', checks: 11 },
  { program: 'langchain_client.py', module: 'langchain_openai', checks: 6 },
  { program: 'pydantic_ai_client.py', module: 'pydantic_ai.models.openai', checks: 6 },
  { program: 'openai_agents_client.py', module: 'agents', checks: 8 },
];

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe.each(clients)('the Python client $program', ({ program, module, checks }) => {
  const isInstalled = spawnSync(python, ['-c', `import ${module}`]).status === 0;
  const path = fileURLToPath(new URL(program, import.meta.url));

  it.skipIf(!isInstalled && !isRequired).each(sandboxModels())(
    'gets the expected answer from $model',
    async ({ model }) => {
      const baseUrl = module === 'anthropic' ? gateway.anthropicUrl : gateway.baseUrl;
      const { stdout } = await promisify(execFile)(python, [path, baseUrl, gateway.key, model]);
      expect(stdout.trim().split('\n')).toHaveLength(checks);
    },
  );
});
