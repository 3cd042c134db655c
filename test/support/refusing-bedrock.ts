/** Server that rejects agents' requests as Amazon Bedrock was observed to do. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { packFrame } from './event-stream.ts';
import { listen, type Listening } from './listen.ts';
import { frames } from './upstream.ts';

interface Body {
  anthropic_beta?: string[];
  system?: unknown;
  tools?: object[];
  messages: ({ role: string } & object)[];
}

const TAKEN_BETAS = new Set(['interleaved-thinking-2025-05-14']);
const KNOWN_FIELDS = new Set([
  'anthropic_version',
  'anthropic_beta',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'stop_sequences',
  'metadata',
]);

/** Returns Bedrock's error message, as quoted in users' reports; undefined if Bedrock accepts the body. */
function refusalOf(body: Body): string | undefined {
  if (body.anthropic_beta?.some((beta) => !TAKEN_BETAS.has(beta))) return 'invalid beta flag';
  if (JSON.stringify(body.system ?? '').includes('x-anthropic-billing-header')) {
    return 'x-anthropic-billing-header is a reserved keyword and may not be used in the system prompt';
  }
  const unknown = Object.keys(body).find((field) => !KNOWN_FIELDS.has(field));
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  const deferred = body.tools?.findIndex((tool) => 'defer_loading' in tool) ?? -1;
  if (deferred !== -1) return `tools.${deferred}.custom.defer_loading: Extra inputs are not permitted`;
  const odd = body.messages.findIndex((message) => message.role === 'system' || 'output_config' in message);
  return odd === -1 ? undefined : `messages.${odd}: Extra inputs are not permitted`;
}

export interface RefusingBedrock extends Listening {
  refusals: string[];
  answered: () => number;
}

export async function startRefusingBedrock(): Promise<RefusingBedrock> {
  const refusals: string[] = [];
  let answered = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
    const refusal = refusalOf(JSON.parse(text) as Body);
    if (refusal) {
      refusals.push(refusal);
      return void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message: refusal }));
    }
    answered += 1;
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    const events = `${frames.start}${frames.blockStart}${frames.text('Done.')}${frames.end(2)}`;
    for (const [, json] of events.matchAll(/data: (.*)\n/g)) response.write(packFrame('chunk', json!));
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  return { ...(await listen(server)), refusals, answered: () => answered };
}
