/** Codex must find and call a server's tools, keep its history, and shorten it. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPrompt } from '../../../lib/local/sandbox/prompt.ts';
import { archiveServer, isLeftOut, newDesk, runAgent, type Desk } from './agent.ts';
import type { Session, Turn } from './strict-provider.ts';
import { startWatchedGateway, type WatchedGateway } from './watched-gateway.ts';

/** Codex has built-in facts about the first model, and reads facts about the others from the gateway. */
const models = [
  'openai/gpt-5.5',
  'anthropic/claude-sonnet-4.6',
  'qwen/qwen3.7-max',
  'google/gemini-3.8-flash',
  'amazon/nova-2-lite',
];
const RECORDS = 6;
const RECORD_CHARACTERS = 30_000;
const DONE = 'All records are read. DONE';
const SUMMARY = 'Some of the records are read.';
const PATCH = '*** Begin Patch\n*** Add File: note.txt\n+written\n*** End Patch';

let gateway: WatchedGateway;
let desk: Desk;

const configDirectory = () => join(desk.home, '.codex');

async function readRecords(settings: string) {
  writeFileSync(
    join(configDirectory(), 'config.toml'),
    `${settings}\n\n[mcp_servers.archive]\ncommand = "${process.execPath}"\nargs = ["${archiveServer}"]\n`,
  );
  const line =
    'codex exec --skip-git-repo-check --json --dangerously-bypass-approvals-and-sandbox "Note it, and read the six records."';
  const { stdout } = await runAgent(line, desk, { GATEWAY_KEY: gateway.key });
  const events = stdout
    .split('\n')
    .filter((one) => one.startsWith('{'))
    .map((one) => JSON.parse(one) as { type: string; item?: { type: string; text?: string; message?: string } });
  const items = events.filter(({ type }) => type === 'item.completed').map(({ item }) => item!);
  return {
    last: events.at(-1)?.type,
    said: items.flatMap(({ type, text }) => (type === 'agent_message' ? (text ?? []) : [])),
    toolCalls: items.filter(({ type }) => type === 'mcp_tool_call'),
    complaints: items.flatMap(({ type, message }) => (type === 'error' ? (message ?? []) : [])),
  };
}

/**
 * The model writes a file and reads it, then reads records with a tool of the MCP server `archive`, for which it first
 * searches if necessary.
 */
function session(): Session {
  let step = 0;
  const calling = (name: string, input: object): Turn => ({
    thinking: 'On.',
    text: `Step ${step}.`,
    calls: [{ name, input }],
  });
  const turn = (prompt: SandboxPrompt): Turn => {
    const { tools } = prompt;
    if (isCompaction(prompt)) return { thinking: 'So.', text: SUMMARY };
    const reads = tools.find(({ name }) => name.endsWith('read_record'))?.name;
    if (step >= 2 && reads === undefined) return calling('tool_search', { query: 'read a record of the archive' });
    step += 1;
    if (step === 1) return calling('apply_patch', { input: PATCH });
    if (step === 2)
      return calling(tools.find(({ name }) => /^(exec_command|shell)/.test(name))!.name, {
        cmd: 'cat note.txt',
        command: 'cat note.txt',
      });
    return step > RECORDS + 2
      ? { thinking: 'Enough.', text: DONE }
      : calling(reads!, { id: `r${step - 2}-${RECORD_CHARACTERS}` });
  };
  // If a request for a summary is too long, Codex shortens it.
  return { maxTokens: (prompt) => (isCompaction(prompt) ? 25_000 : 200_000), turn };
}

describe.skipIf(isLeftOut('codex'))('Codex', () => {
  beforeAll(async () => {
    gateway = await startWatchedGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    desk = newDesk();
    mkdirSync(configDirectory());
  });
  afterEach(() => desk.clear());

  it.each(models)(
    'calls tools of its server through %s, and shortens a conversation that is too long',
    async (model) => {
      const settings = gateway.configuration('codex', model, 40_000);
      const log = gateway.begin(session());

      const { last, said, toolCalls, complaints } = await readRecords(settings);

      expect(log.refusals).toEqual([]);
      expect({ last, complaints, answer: said.at(-1) }).toEqual({
        last: 'turn.completed',
        complaints: [],
        answer: DONE,
      });
      expect(toolCalls).toHaveLength(RECORDS);
      expect(existsSync(join(desk.work, 'note.txt'))).toBe(true);
      expect(log.answered.flatMap(({ results }) => results).some(({ text }) => text.includes('written'))).toBe(true);
      expect(log.overflows.length).toBeGreaterThan(0);
      expect(log.answered.some(({ lastUserText }) => lastUserText.includes(SUMMARY))).toBe(true);
      const lists = gateway.sent().filter(({ path }) => path.startsWith('/v1/models?client_version='));
      expect(lists.map(({ status }) => status)).toEqual(model.startsWith('openai/') ? [] : [200]);
    },
  );

  it('sends compressed requests to the server if its settings name the provider OpenAI', async () => {
    const settings = gateway
      .configuration('codex', 'openai/gpt-5.5')
      .replace(gateway.baseUrl, gateway.serverUrl)
      .replace('name = "Gateway"', 'name = "OpenAI"\nrequires_openai_auth = true')
      .replace(/env_key = .*/, 'env_http_headers = { "x-api-key" = "GATEWAY_KEY" }');
    writeFileSync(join(configDirectory(), 'auth.json'), JSON.stringify(subscription()));
    const log = gateway.begin(session());

    const { said, toolCalls } = await readRecords(settings);

    expect(log.refusals).toEqual([]);
    expect(said.at(-1)).toBe(DONE);
    expect(toolCalls).toHaveLength(RECORDS);
    const encodings = gateway.sent().flatMap(({ path, encoding }) => (path === '/v1/responses' ? [encoding] : []));
    expect(new Set(encodings)).toEqual(new Set(['zstd']));
  });
});

const isCompaction = ({ lastUserText }: SandboxPrompt): boolean =>
  lastUserText.includes('performing a CONTEXT CHECKPOINT COMPACTION');

const tokenPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Returns the login of a user, because Codex only compresses requests of users who have signed in. The gateway ignores
 * their token.
 */
function subscription(): object {
  const claims = {
    email: 'dev@example.com',
    exp: 4_000_000_000,
    'https://api.openai.com/auth': { chatgpt_plan_type: 'plus', chatgpt_account_id: 'a', chatgpt_user_id: 'u' },
  };
  const token = `${tokenPart({ alg: 'none' })}.${tokenPart(claims)}.c2lnbmF0dXJl`;
  return {
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: { id_token: token, access_token: token, refresh_token: 'r', account_id: 'a' },
    last_refresh: new Date().toISOString(),
  };
}
