/** Refuses parts that another vendor's version of the Messages API might silently ignore. */

import type { UnsupportedPart } from '../../catalog/quirk-values.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { endsWithBegunAnswer } from '../../messages/begun-answer.ts';
import { heicTypes } from '../../messages/blocks.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { audioRefusal } from '../translated/audio.ts';
import { wantsCitations } from '../translated/documents.ts';
import { placeBlocks, type Placed } from '../translated/turns.ts';

/** Returns the path of a part in a request; undefined if the request does not have the part. */
type Find = (request: MessagesRequest) => string | undefined;

const finders: Record<UnsupportedPart, Find> = {
  image: inBlocks('type', ({ type }) => type === 'image'),
  document: inBlocks('type', ({ type }) => type === 'document'),
  url_source: inBlocks('source.type', (block) => sourceType(block) === 'url'),
  file_source: inBlocks('source.type', (block) => sourceType(block) === 'file'),
  citations: inBlocks('citations.enabled', wantsCitations),
  temperature: ({ temperature }) => (temperature === undefined ? undefined : 'temperature'),
  top_k: ({ top_k: topK }) => (topK === undefined ? undefined : 'top_k'),
  stop_sequences: ({ stop_sequences: stops }) => (stops?.length ? 'stop_sequences' : undefined),
  output_format: (request) => (outputFormat(request) ? 'output_config.format' : undefined),
  strict: inTools('strict', ({ strict }) => strict === true),
  typed_tools: inTools('type', ({ type }) => Boolean(type) && type !== 'custom'),
  disable_parallel_tool_use: ({ tool_choice: choice }) =>
    choice?.disable_parallel_tool_use ? 'tool_choice.disable_parallel_tool_use' : undefined,
  assistant_prefill: ({ messages }) =>
    endsWithBegunAnswer(messages) ? `messages.${messages.length - 1}.role` : undefined,
};

/** Finds audio, which is always refused, because no known service with the Messages API has a block for audio. */
const audioIn = blockFinder(({ type }) => type === 'audio');
const heicIn = blockFinder(({ type, source }) => {
  return type === 'image' && heicTypes.includes((source as { media_type?: string }).media_type ?? '');
});

/**
 * Refuses a request with parts that the provider does not support.
 * @throws {GatewayError} 400 naming the first unsupported part
 */
export function refuseUnsupportedParts(request: MessagesRequest, { lacks = [] }: AnthropicQuirks): void {
  const audio = audioIn(request);
  if (audio !== undefined) throw audioRefusal(audio);
  const heic = heicIn(request);
  if (heic !== undefined)
    throw invalidRequest(`${heic}.source.media_type`, 'HEIC only works on Gemini; convert the image');
  for (const part of lacks) {
    const path = part in finders ? finders[part as UnsupportedPart](request) : undefined;
    if (path !== undefined) throw invalidRequest(path, 'does not work on this model; leave it out');
  }
}

function inBlocks(field: string, has: (block: Block) => boolean): Find {
  const find = blockFinder(has);
  return (request) => {
    const path = find(request);
    return path && `${path}.${field}`;
  };
}

/** Returns a function that finds the path of the first block for which `has` is true; undefined if there is none. */
function blockFinder(has: (block: Block) => boolean): Find {
  return ({ messages }) => {
    const placed = messages.flatMap(({ content }, index) => placeBlocks(content, `messages.${index}.content`));
    return placed.flatMap(withinResults).find(({ block }) => has(block))?.path;
  };
}

function withinResults(placed: Placed): Placed[] {
  const { content } = placed.block;
  const isResult = placed.block.type === 'tool_result' && Array.isArray(content);
  return isResult ? [placed, ...placeBlocks(content as Block[], `${placed.path}.content`)] : [placed];
}

function sourceType({ source }: Block): unknown {
  return (source as { type?: unknown } | null | undefined)?.type;
}

function inTools(field: string, has: (tool: Record<string, unknown>) => boolean): Find {
  return ({ tools = [] }) => {
    const index = tools.findIndex(has);
    return index === -1 ? undefined : `tools.${index}.${field}`;
  };
}
