import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A recorded stream of a real provider. */
export interface Recording {
  name: string;
  provider: string;
  wire: 'anthropic' | 'openai-chat';
  sse: string;
}

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/', import.meta.url));

/** Folders with one data line per event, by the provider that was recorded. */
const chunkFolders: Record<string, Recording['wire']> = {
  alibaba: 'openai-chat',
  'deepseek-chat': 'openai-chat',
  groq: 'openai-chat',
  mistral: 'openai-chat',
  moonshotai: 'openai-chat',
  'openai-chat': 'openai-chat',
  'openai-compatible-chat': 'openai-chat',
  perplexity: 'openai-chat',
  xai: 'openai-chat',
  anthropic: 'anthropic',
};

/** Streams of both wires; none where the recordings are not present. */
export function findRecordings(): Recording[] {
  if (!existsSync(fixtures)) return [];
  return [...chunkRecordings(), ...httpRecordings(), ...sseRecordings()];
}

function chunkRecordings(): Recording[] {
  return Object.entries(chunkFolders).flatMap(([folder, wire]) =>
    readdirSync(join(fixtures, folder))
      .filter((file) => file.endsWith('.chunks.txt'))
      .map((file) => {
        const lines = readFileSync(join(fixtures, folder, file), 'utf8')
          .split('\n')
          .filter((line) => line.trim() !== '');
        return { name: `${folder}/${file}`, provider: folder.replace('-chat', ''), wire, sse: frame(lines, wire) };
      }),
  );
}

function frame(lines: string[], wire: Recording['wire']): string {
  if (wire === 'openai-chat') return `${lines.map((line) => `data: ${line}\n\n`).join('')}data: [DONE]\n\n`;
  return lines.map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`).join('');
}

function sseRecordings(): Recording[] {
  const folder = join(fixtures, 'anthropic-sdk-typescript');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sse') || file.endsWith('.txt'))
    .map((file) => ({
      name: `anthropic-sdk-typescript/${file}`,
      provider: 'anthropic-sdk-typescript',
      wire: 'anthropic' as const,
      sse: readFileSync(join(folder, file), 'utf8'),
    }));
}

interface Cassette {
  interactions: { response: { headers: Record<string, unknown>; body?: unknown } }[];
}

function httpRecordings(): Recording[] {
  const root = join(fixtures, 'recorded-http');
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name: provider }) =>
    readdirSync(join(root, provider)).flatMap((file) => {
      const { interactions } = JSON.parse(readFileSync(join(root, provider, file), 'utf8')) as Cassette;
      return interactions.flatMap(({ response: { body } }, index): Recording[] => {
        if (typeof body !== 'string') return [];
        const wire = wireOf(body);
        return wire ? [{ name: `${provider}/${file}#${index}`, provider, wire, sse: body }] : [];
      });
    }),
  );
}

function wireOf(body: string): Recording['wire'] | undefined {
  if (!/^(event|data|:)/m.test(body)) return undefined;
  if (body.includes('"message_start"')) return 'anthropic';
  return /^data: ?\{[^\n]*"chat\.completion\.chunk"/m.test(body) ? 'openai-chat' : undefined;
}

/** The data of every event, `[DONE]` left out. */
export function eventData(sse: string): Record<string, unknown>[] {
  return sse
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as Record<string, unknown>);
}

interface ChatChunk {
  choices?: {
    delta?: {
      content?: string | { type: string; text?: string; thinking?: { text: string }[] }[] | null;
      reasoning_content?: string | null;
      reasoning?: string | null;
      tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string | null } }[] | null;
    };
    finish_reason?: string | null;
  }[];
  usage?: Record<string, unknown> | null;
  x_groq?: { usage?: Record<string, unknown> };
}

/** What a chat-completions recording says, read in the plainest way there is. */
export function readChatRecording(sse: string) {
  let text = '';
  let thinking = '';
  let finish: string | undefined;
  let usage: Record<string, unknown> | undefined;
  const calls: { index: number | undefined; id: string | undefined; name: string; json: string }[] = [];
  for (const chunk of eventData(sse) as ChatChunk[]) {
    usage = chunk.usage ?? chunk.x_groq?.usage ?? usage;
    const choice = chunk.choices?.[0];
    const delta = choice?.delta ?? {};
    thinking += delta.reasoning_content ?? delta.reasoning ?? '';
    if (typeof delta.content === 'string') text += delta.content;
    else {
      for (const part of delta.content ?? []) {
        text += part.type === 'text' ? (part.text ?? '') : '';
        thinking += part.thinking?.map((inner) => inner.text).join('') ?? '';
      }
    }
    for (const call of delta.tool_calls ?? []) {
      const known = calls.find(({ index }) => index === call.index);
      if (known && (!call.id || call.id === known.id || !call.function?.name))
        known.json += call.function?.arguments ?? '';
      else {
        calls.push({
          index: call.index,
          id: call.id,
          name: call.function?.name ?? '',
          json: call.function?.arguments ?? '',
        });
      }
    }
    finish = choice?.finish_reason ?? finish;
  }
  const tools = calls.map(({ name, json }) => ({ name, input: JSON.parse(json || '{}') as unknown }));
  return { text, thinking, tools, finish, usage };
}
