/** Converts a Converse request to an equivalent request of the Messages API. */

import type { ReadRequest } from './wire-row.ts';

type Json = Record<string, unknown>;
type Block = Json & { type: string };

const MAX_TOKENS = 4_000;

export function readConverseRequest(body: Json, uri: string): ReadRequest {
  const unsaid: string[] = [];
  const config = (body['inferenceConfig'] ?? {}) as Json;
  const more = (body['additionalModelRequestFields'] ?? {}) as Json;
  const thinking = (more['thinking'] ?? more['reasoning_config'] ?? more['reasoningConfig']) as Json | undefined;
  const topK = more['top_k'] ?? (more['inferenceConfig'] as Json | undefined)?.['topK'];
  const system = ((body['system'] ?? []) as { text?: string }[]).flatMap(({ text }) => text ?? []);
  const format = (
    body['outputConfig'] as { textFormat?: { structure: { jsonSchema: { schema: string } } } } | undefined
  )?.textFormat;
  const names = { temperature: 'temperature', topP: 'top_p', stopSequences: 'stop_sequences' };
  const sampling = Object.entries(names).flatMap(([own, name]) =>
    config[own] === undefined ? [] : [[name, config[own]]],
  );
  const request = {
    model: decodeURIComponent(/model\/([^/]+)\//.exec(uri)?.[1] ?? 'm'),
    max_tokens: config['maxTokens'] ?? MAX_TOKENS,
    ...(system.length > 0 ? { system: system.join('\n\n') } : {}),
    messages: (body['messages'] as { role: string; content: Json[] }[]).map(({ role, content }) => ({
      role,
      content: content.flatMap((block) => readBlock(block, unsaid)),
    })),
    ...readTools(body, unsaid),
    ...(thinking
      ? { thinking: { type: thinking['type'], budget_tokens: thinking['budget_tokens'] ?? undefined } }
      : {}),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(format
      ? {
          output_config: {
            format: { type: 'json_schema', schema: JSON.parse(format.structure.jsonSchema.schema) as unknown },
          },
        }
      : {}),
    ...(Object.fromEntries(sampling) as Json),
  };
  return { request, unsaid };
}

function readBlock(block: Json, unsaid: string[]): Block[] {
  const [[kind, value]] = Object.entries(block) as [[string, Json]];
  switch (kind) {
    case 'text':
      return [{ type: 'text', text: value }];
    case 'toolUse':
      return [{ type: 'tool_use', id: value['toolUseId'], name: value['name'], input: value['input'] }];
    case 'toolResult': {
      const content = (value['content'] as Json[]).flatMap((inner) => readBlock(inner, unsaid));
      return [{ type: 'tool_result', tool_use_id: value['toolUseId'], content }];
    }
    case 'image':
      return [
        {
          type: 'image',
          source: { type: 'base64', media_type: `image/${String(value['format'])}`, data: bytesOf(value) },
        },
      ];
    case 'document':
      return [
        {
          type: 'document',
          title: value['name'],
          source: documentSource(value),
          ...(value['citations'] ? { citations: value['citations'] } : {}),
        },
      ];
    case 'reasoningContent': {
      const { text, signature } = (value['reasoningText'] ?? {}) as { text?: string; signature?: string };
      return [{ type: 'thinking', thinking: text ?? '', signature: signature ?? '' }];
    }
    default:
      unsaid.push(`content of type ${kind}`);
      return [];
  }
}

function bytesOf({ source }: Json): unknown {
  return (source as { bytes: string }).bytes;
}

function documentSource(document: Json): Json {
  const { text } = document['source'] as { text?: string };
  if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text };
  return { type: 'base64', media_type: 'application/pdf', data: bytesOf(document) };
}

function readTools(body: Json, unsaid: string[]): Json {
  const { tools: listed = [], toolChoice: choice } = (body['toolConfig'] ?? {}) as {
    tools?: Json[];
    toolChoice?: Json;
  };
  const tools = listed.flatMap((tool) => {
    const spec = tool['toolSpec'] as { name: string; description?: string; inputSchema: { json: unknown } } | undefined;
    if (spec) return [{ name: spec.name, description: spec.description, input_schema: spec.inputSchema.json }];
    unsaid.push(`tool ${Object.keys(tool).join()}`);
    return [];
  });
  if (tools.length === 0) return {};
  if (!choice) return { tools };
  const named = choice['tool'] as { name: string } | undefined;
  return { tools, tool_choice: named ? { type: 'tool', name: named.name } : { type: Object.keys(choice)[0] } };
}
