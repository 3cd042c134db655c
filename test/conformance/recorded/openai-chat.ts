import type { OpenaiChatQuirks } from '../../../lambdas/catalog/quirk-schemas.ts';
import type { Interaction } from './interactions.ts';
import { readChatRequest } from './openai-chat-requests.ts';
import { callInput, eventData, type Said } from './said.ts';
import type { WireRow } from './wire-row.ts';

interface Part {
  type: string;
  text?: string;
  thinking?: { text: string }[];
}

interface Spoken {
  content?: string | Part[] | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string | null } }[] | null;
}

interface Chunk {
  model?: string;
  choices?: { delta?: Spoken; message?: Spoken; finish_reason?: string | null }[];
  usage?: Counted | null;
  x_groq?: { usage?: Counted };
}

interface Counted {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens?: number;
  cached_tokens?: number;
  prompt_cache_hit_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
}

/** Returns the quirks of recorded endpoints whose models are not in the catalog. */
function quirksOf(provider: string, model: string): OpenaiChatQuirks {
  // OpenRouter documents these quirks for Claude and Gemini.
  if (provider === 'openrouter') return { system_role: 'developer', pdf_files: true };
  // Azure serves models of other authors with the older names of fields and roles.
  if (provider === 'azure' && model.startsWith('grok'))
    return { max_tokens_field: 'max_tokens', system_role: 'system' };
  return {};
}

export const openaiChatRow: WireRow = {
  wire: 'openai-chat',
  address: /\/chat\/completions$/,
  isEvent: ({ object, choices }) => object !== 'text_completion' && Array.isArray(choices),
  isDocument: ({ object }) => object === 'chat.completion',
  streamType: 'text/event-stream',
  frame: (lines) => Buffer.from(`${lines.map((line) => `data: ${line}\n\n`).join('')}data: [DONE]\n\n`),
  read: readAnswer,
  readRequest: readChatRequest,
  endpoint: (provider, model) => ({ catalogId: provider, quirks: quirksOf(provider, model) }),
  documented: [
    {
      complaint: 'max_tokens is new',
      reason: 'each provider’s reference lists it',
    },
    {
      providers: ['mistral'],
      complaint: 'prompt_cache_key is new',
      reason: 'https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching',
    },
    {
      providers: ['openai', 'azure'],
      complaint: 'max_completion_tokens is new',
      reason: 'OpenAI’s reference: replaces `max_tokens`',
    },
    {
      providers: ['openai', 'azure'],
      complaint: 'service_tier is new',
      reason: 'OpenAI’s reference: the standard tier',
    },
    {
      providers: ['openai'],
      complaint: 'stream_options is new',
      reason: 'OpenAI’s reference; the only recording does not stream',
    },
    {
      providers: ['ollama'],
      complaint: 'reasoning_effort is new',
      reason: 'Ollama’s page on OpenAI compatibility lists it',
    },
    {
      providers: ['deepseek'],
      complaint: 'reasoning_effort is "low"',
      reason: 'a level of models of autumn 2026; the recordings are older',
    },
    {
      complaint: 'messages[](assistant).content is null',
      reason: 'OpenAI’s reference: not required with `tool_calls`',
    },
    {
      providers: ['mistral', 'openrouter'],
      complaint: 'tool_choice is "auto"',
      reason: 'the default in both references',
    },
    {
      providers: ['gpustack'],
      complaint: 'messages[](assistant) has no reasoning',
      reason: 'vLLM does not require earlier reasoning',
    },
    {
      providers: ['gpustack'],
      complaint: 'messages[](assistant) has no reasoning_content',
      reason: 'vLLM does not require earlier reasoning',
    },
    {
      providers: ['ollama'],
      complaint: 'messages[](user).content[](image_url) is new',
      reason: 'Ollama’s page on OpenAI compatibility lists images in content parts',
    },
    {
      providers: ['perplexity'],
      complaint: 'response_format(json_schema).json_schema.name is new',
      reason: 'Perplexity’s page on structured outputs requires it',
    },
  ],
};

function readAnswer({ answer }: Interaction): Said {
  const text = answer.bytes.toString();
  const chunks = (answer.kind === 'stream' ? eventData(text) : [JSON.parse(text)]) as Chunk[];
  const said: Said = { text: '', thinking: '', tools: [], stop: undefined, usage: undefined };
  const calls: { index: number | undefined; id: string | undefined; name: string; json: string }[] = [];
  let finish: string | undefined;
  let refused = false;
  for (const { model = '', choices, usage, x_groq: groq } of chunks) {
    const counted = usage ?? groq?.usage;
    if (counted) said.usage = usageOf(counted, model);
    const [choice] = choices ?? [];
    // Perplexity sends both `delta` and `message`, so the kind of the answer selects the field.
    const spoken = (answer.kind === 'stream' ? choice?.delta : choice?.message) ?? {};
    said.thinking += spoken.reasoning_content ?? spoken.reasoning ?? '';
    const content: Part[] | null | undefined =
      typeof spoken.content === 'string' ? [{ type: 'text', text: spoken.content }] : spoken.content;
    for (const part of content ?? []) {
      said.text += part.type === 'text' ? (part.text ?? '') : '';
      said.thinking += part.thinking?.map((inner) => inner.text).join('') ?? '';
    }
    said.text += spoken.refusal ?? '';
    refused ||= Boolean(spoken.refusal);
    for (const { index, id, function: named } of spoken.tool_calls ?? []) {
      const known = index === undefined ? undefined : calls.find((call) => call.index === index);
      if (known && (!id || id === known.id || !named?.name)) known.json += named?.arguments ?? '';
      else calls.push({ index, id, name: named?.name ?? '', json: named?.arguments ?? '' });
    }
    finish = choice?.finish_reason ?? finish;
  }
  said.tools = calls.map(({ name, json }) => ({ name, input: callInput(json) }));
  said.stop = finish && (refused ? 'refusal' : stopOf(finish, said.tools.length > 0));
  return said;
}

function stopOf(finish: string, hasCalls: boolean): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'content_filter') return 'refusal';
  return hasCalls ? 'tool_use' : 'end_turn';
}

/**
 * Converts a usage. Among the recorded models, only the completion counts of xAI exclude the reasoning. A hosted model
 * was observed to report more cached tokens than prompt tokens.
 */
function usageOf(usage: Counted, model: string) {
  const details = usage.prompt_tokens_details;
  const cached = details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0;
  const cacheRead = Math.min(cached, usage.prompt_tokens);
  const cacheWrite = details?.cache_write_tokens ?? 0;
  const unseen = model.startsWith('grok-') ? (usage.completion_tokens_details?.reasoning_tokens ?? 0) : 0;
  return {
    input: usage.prompt_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.completion_tokens + unseen,
  };
}
