import { webSearchTool, type MessagesBody } from './playground-request.ts';

export const sampleNames = ['curl', 'Anthropic SDK', 'OpenAI SDK', 'AI SDK'] as const;
export type SampleName = (typeof sampleNames)[number];

/**
 * Returns code samples that send the playground's request, as far as each client can express it.
 * @param base base URL of the API, with /v1
 */
export function codeSamples(body: MessagesBody, base: string): Record<SampleName, string> {
  return {
    curl: curlSample(body, base),
    'Anthropic SDK': anthropicSample(body, base),
    'OpenAI SDK': openaiSample(body, base),
    'AI SDK': aiSdkSample(body, base),
  };
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function shellLiteral(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curlSample(body: MessagesBody, base: string): string {
  return `curl -N "${base}/messages" \\
  -H "authorization: Bearer $GATEWAY_KEY" -H "content-type: application/json" \\
  -d ${shellLiteral(pretty(body))}`;
}

function anthropicSample(streamed: MessagesBody, base: string): string {
  // The SDK's `stream` method sets the field `stream` itself.
  const body = Object.fromEntries(Object.entries(streamed).filter(([name]) => name !== 'stream'));
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${JSON.stringify(base.replace(/\/v1$/, ''))}, apiKey: process.env.GATEWAY_KEY });
const stream = client.messages.stream(${pretty(body)});
stream.on('text', (text) => process.stdout.write(text));
console.log((await stream.finalMessage()).usage);`;
}

function openaiSample(
  { model, max_tokens, system, tools = [], thinking, messages }: MessagesBody,
  base: string,
): string {
  const body = {
    model,
    max_completion_tokens: max_tokens,
    stream: true,
    ...(tools.length === 0 ? {} : { tools: tools.map(openaiTool) }),
    ...(thinking ? { reasoning_effort: 'medium' } : {}),
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...messages.map(({ role, content }) => ({
        role,
        content: typeof content === 'string' ? content : content.map(openaiPart),
      })),
    ],
  };
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${JSON.stringify(base)}, apiKey: process.env.GATEWAY_KEY });
const stream = await client.chat.completions.create(${pretty(body)});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`;
}

type SampleTool = NonNullable<MessagesBody['tools']>[number];
type SamplePart = Exclude<MessagesBody['messages'][number]['content'], string>[number];

function openaiTool(tool: SampleTool) {
  if (tool.type === webSearchTool.type) return { type: 'web_search' };
  const { name, description, input_schema: parameters } = tool;
  return { type: 'function', function: { name, description, parameters } };
}

function openaiPart(part: SamplePart) {
  if (part.type === 'text') return part;
  const { media_type, data } = part.source;
  return { type: 'image_url', image_url: { url: `data:${media_type};base64,${data}` } };
}

function aiSdkSample(
  { model, max_tokens, system, tools = [], thinking, messages }: MessagesBody,
  base: string,
): string {
  const written = tools.map((tool) =>
    tool.type === webSearchTool.type
      ? `    web_search: gateway.tools.webSearch_20250305(),`
      : `    ${JSON.stringify(tool.name)}: tool({ description: ${JSON.stringify(tool.description ?? '')}, inputSchema: jsonSchema(${JSON.stringify(tool.input_schema)}) }),`,
  );
  const prompt = messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(aiSdkPart),
  }));
  const lines = [
    `  model: gateway(${JSON.stringify(model)}),`,
    `  maxOutputTokens: ${max_tokens},`,
    ...(system === undefined ? [] : [`  system: ${JSON.stringify(system)},`]),
    ...(written.length === 0 ? [] : ['  tools: {', ...written, '  },']),
    ...(thinking ? [`  providerOptions: { anthropic: { thinking: ${JSON.stringify(thinking)} } },`] : []),
    `  messages: ${JSON.stringify(prompt)},`,
  ];
  const imported = tools.some(({ type }) => type !== webSearchTool.type)
    ? 'jsonSchema, streamText, tool'
    : 'streamText';
  return `import { createAnthropic } from '@ai-sdk/anthropic';
import { ${imported} } from 'ai';

const gateway = createAnthropic({ baseURL: ${JSON.stringify(base)}, apiKey: process.env.GATEWAY_KEY });
const { textStream } = streamText({
${lines.join('\n')}
});
for await (const text of textStream) process.stdout.write(text);`;
}

function aiSdkPart(part: SamplePart) {
  return part.type === 'text' ? part : { type: 'image', image: part.source.data, mediaType: part.source.media_type };
}
