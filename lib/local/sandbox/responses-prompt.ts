/** Reads requests of the Responses API, and checks some of that API's rules. */

import { isOwnReasoning } from './encrypted-reasoning.ts';
import type { JsonSchema } from './example.ts';
import { lastTurns, type SandboxPrompt, type SandboxTurn } from './prompt.ts';

interface ResponsesPromptPart {
  type: string;
  text?: string;
}

interface Item {
  type: string;
  role?: string;
  content?: ResponsesPromptPart[];
  id?: string;
  encrypted_content?: string;
  call_id?: string;
  name?: string;
  output?: string | ResponsesPromptPart[];
}

interface ResponsesRequest {
  instructions?: string;
  input: Item[];
  tools?: { name: string; parameters?: JsonSchema }[];
  tool_choice?: string | { name: string };
  reasoning?: { summary?: string };
  text?: { format?: { schema?: JsonSchema } };
  max_output_tokens?: number;
}

const MIN_OUTPUT_TOKENS = 16;

export function readResponsesPrompt(request: ResponsesRequest): SandboxPrompt {
  const { input, reasoning } = request;
  const chosen = typeof request.tool_choice === 'object' ? request.tool_choice.name : undefined;
  const offered = request.tool_choice === 'none' ? [] : (request.tools ?? []);
  const tools = offered.filter(({ name }) => chosen === undefined || name === chosen);
  const texts = input.flatMap(({ content, output }) => [responsesText(content), responsesText(output)]);
  const json = JSON.stringify(input);
  return {
    ...lastTurns(responsesTurns(input)),
    tools: tools.map(({ name, parameters: schema }) => ({ name, schema })),
    toolRequired: request.tool_choice === 'required' || chosen !== undefined,
    answerSchema: request.text?.format?.schema,
    isThinkingRequested: reasoning?.summary !== undefined,
    hiddenReasoningTokens: 0,
    maxTokens: request.max_output_tokens,
    // The Responses API has no stop sequences.
    stopSequences: [],
    refusal: responsesObjection(request),
    characters: [request.instructions ?? '', ...texts].reduce((sum, text) => sum + text.length, 0),
    images: json.split('"type":"input_image"').length - 1,
    pdfs: json.split('"type":"input_file"').length - 1,
  };
}

function responsesTurns(input: Item[]): SandboxTurn[] {
  const calls = input.filter(({ type }) => type === 'function_call');
  const names = new Map(calls.map((call) => [call.call_id, call.name]));
  return input
    .filter(({ type, role }) => role === 'user' || type === 'function_call_output')
    .map(({ role, content, call_id: id, output }) =>
      role === 'user'
        ? { text: responsesText(content), results: [] }
        : { text: '', results: [{ name: names.get(id) ?? '', text: responsesText(output) }] },
    );
}

/** Returns the error message if the request breaks one of the checked rules. */
function responsesObjection({ input, max_output_tokens: maxTokens = Infinity }: ResponsesRequest): string | undefined {
  if (maxTokens < MIN_OUTPUT_TOKENS) {
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT_TOKENS}, but got ${maxTokens} instead.`;
  }
  for (const [index, { type, id = '', encrypted_content: encrypted = '', call_id: callId }] of input.entries()) {
    if (type === 'reasoning' && !isOwnReasoning(id, encrypted)) {
      return `The encrypted content for item ${id} could not be verified.`;
    }
    if (type === 'reasoning' && !isOfAssistant(input[index + 1])) {
      return `Item '${id}' of type 'reasoning' was provided without its required following item.`;
    }
    const isCalled = input.slice(0, index).some((item) => item.type === 'function_call' && item.call_id === callId);
    if (type === 'function_call_output' && !isCalled) {
      return `No tool call found for function call output with call_id ${callId}.`;
    }
  }
  return undefined;
}

function isOfAssistant(item: Item | undefined): boolean {
  return item?.role === 'assistant' || item?.type === 'function_call' || item?.type === 'reasoning';
}

function responsesText(content: string | ResponsesPromptPart[] | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('\n');
}
