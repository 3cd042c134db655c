/**
 * Sandbox in the format of the Gemini API. Like models of generation 3, it signs texts, images and the first function
 * call of an answer, and requires the signatures of earlier images and first calls in the next request. It verifies the
 * signatures that it receives.
 */

import { createHash, randomBytes } from 'node:crypto';
import { isRecord } from '../../../lambdas/platform/json/foreign-json.ts';
import type { WireWriter } from './answer.ts';
import type { JsonSchema } from './example.ts';
import { lastTurns, type SandboxPrompt, type SandboxTurn } from './prompt.ts';
import { sandboxPicture } from './picture.ts';
import { thinkingTokens, type Script } from './script.ts';
import { plainEvents } from './server-sent-events.ts';

interface GeminiPromptPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args?: object };
  functionResponse?: {
    id?: string;
    name: string;
    response?: { output?: string; error?: string };
    parts?: GeminiPromptPart[];
  };
  inlineData?: { mimeType: string; data?: string };
  fileData?: { mimeType: string };
}

interface Content {
  role: string;
  parts: GeminiPromptPart[];
}

interface GeminiRequest {
  contents: Content[];
  systemInstruction?: { parts: GeminiPromptPart[] };
  tools?: {
    functionDeclarations: { name: string; parametersJsonSchema?: JsonSchema }[];
  }[];
  toolConfig?: { functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] } };
  generationConfig?: {
    maxOutputTokens?: number;
    stopSequences?: string[];
    thinkingConfig?: { includeThoughts?: boolean };
    responseJsonSchema?: JsonSchema;
    responseModalities?: string[];
    imageConfig?: { aspectRatio?: string; imageSize?: string };
  };
}

/**
 * Signature that clients may send for a function call that Gemini did not sign:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const PLACEHOLDER = 'skip_thought_signature_validator';

export function readGeminiPrompt(request: GeminiRequest): SandboxPrompt {
  const { contents, systemInstruction, toolConfig, generationConfig } = request;
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  const declared = mode === 'NONE' ? [] : (request.tools ?? []).flatMap((tool) => tool.functionDeclarations);
  const tools = declared.filter(({ name }) => allowedFunctionNames?.includes(name) ?? true);
  const parts = contents.flatMap((content) => content.parts);
  const media = [...parts, ...parts.flatMap(({ functionResponse }) => functionResponse?.parts ?? [])].map(mediaTypeOf);
  return {
    ...lastTurns(contents.filter(({ role }) => role === 'user').map(turnOf)),
    tools: tools.map(({ name, parametersJsonSchema: schema }) => ({ name, schema })),
    toolRequired: mode === 'ANY',
    answerSchema: generationConfig?.responseJsonSchema,
    isThinkingRequested: generationConfig?.thinkingConfig?.includeThoughts === true,
    hiddenReasoningTokens: 0,
    maxTokens: generationConfig?.maxOutputTokens,
    stopSequences: generationConfig?.stopSequences ?? [],
    refusal: geminiObjection(contents),
    characters: [...(systemInstruction?.parts ?? []), ...parts].reduce(
      (sum, part) => sum + geminiPartText(part).length,
      0,
    ),
    images: media.filter((type) => type?.startsWith('image/')).length,
    pdfs: media.filter((type) => type === 'application/pdf').length,
    recordings: media.filter((type) => type?.startsWith('audio/')).length,
    picture: generationConfig?.responseModalities?.includes('IMAGE') ? (generationConfig.imageConfig ?? {}) : undefined,
  };
}

function turnOf({ parts }: Content): SandboxTurn {
  const otherParts = parts.filter((part) => !isResult(part));
  return {
    text: otherParts.map(geminiPartText).join('\n'),
    results: parts.filter(isResult).map((part) => ({ name: part.functionResponse!.name, text: geminiPartText(part) })),
  };
}

function isResult({ functionResponse }: GeminiPromptPart): boolean {
  return functionResponse !== undefined;
}

function geminiPartText({ text, functionResponse }: GeminiPromptPart): string {
  return text ?? functionResponse?.response?.output ?? functionResponse?.response?.error ?? '';
}

function mediaTypeOf({ inlineData, fileData }: GeminiPromptPart): string | undefined {
  return (inlineData ?? fileData)?.mimeType;
}

/** Returns the error message if the conversation breaks one of the checked rules for function calls and signatures. */
function geminiObjection(contents: Content[]): string | undefined {
  for (const [index, { role, parts }] of contents.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    const [first] = calls;
    if (first && !first.thoughtSignature) {
      return `Function call \`${first.functionCall!.name}\` in the ${index}. content block is missing a \`thought_signature\`.`;
    }
    if (role === 'model' && parts.some(({ inlineData, thoughtSignature }) => inlineData && !thoughtSignature)) {
      return `Image part is missing a thought_signature in content position ${index}.`;
    }
    if (!parts.every(isSound)) return 'Thought signature is not valid.';
    const results = (contents[index + 1]?.parts ?? []).filter(({ functionResponse }) => functionResponse !== undefined);
    const answered = results.map(({ functionResponse }) => functionResponse!.name).join();
    if (answered !== calls.map(({ functionCall }) => functionCall!.name).join()) {
      return 'Please ensure that the function response parts match the function call parts of the function call turn.';
    }
  }
  return undefined;
}

function isSound(part: GeminiPromptPart): boolean {
  const { thoughtSignature } = part;
  return thoughtSignature === undefined || thoughtSignature === PLACEHOLDER || thoughtSignature === signatureOf(part);
}

/** Returns the signature of a part. Field names are sorted, because clients may reorder arguments. */
function signatureOf({ functionCall, inlineData }: GeminiPromptPart): string {
  const signed = functionCall
    ? `call ${functionCall.name} ${JSON.stringify(functionCall.args ?? {}, withSortedNames)}`
    : (inlineData?.data ?? 'text');
  return createHash('sha256').update(signed).digest('base64');
}

function withSortedNames(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

const GEMINI_FINISH_REASONS = {
  end: 'STOP',
  length: 'MAX_TOKENS',
  tools: 'STOP',
  refusal: 'SAFETY',
  stopped: 'STOP',
} as const;

export function geminiWriter(model: string): WireWriter {
  const responseId = randomBytes(12).toString('base64url');
  const response = (parts: GeminiPromptPart[], finishReason?: string, usage?: object) => ({
    candidates: [{ content: { parts, role: 'model' }, ...(finishReason ? { finishReason } : {}), index: 0 }],
    ...(usage ? { usageMetadata: usage } : {}),
    modelVersion: model,
    responseId,
  });
  return {
    framing: plainEvents('\r\n\r\n'),
    opening: () => [],
    block(script, index) {
      const block = script.blocks[index]!;
      switch (block.kind) {
        case 'thinking':
          return { start: [], pieces: block.pieces.map((text) => [response([{ text, thought: true }])]), stop: [] };
        case 'text':
          return {
            start: [],
            pieces: [
              ...block.pieces.map((text) => [response([{ text }])]),
              ...(script.picture ? [[response([drawnPart(script.picture)])]] : []),
            ],
            stop: [response([{ text: '', thoughtSignature: signatureOf({}) }])],
          };
        case 'tool':
          return {
            start: [],
            pieces: wholeCall(script, index).map((parts) => (parts ? [response(parts)] : [])),
            stop: [],
          };
      }
    },
    closing: (script) => [response([{ text: '' }], GEMINI_FINISH_REASONS[script.end], sandboxGeminiUsage(script))],
    error: () => sandboxGeminiRefusal(503, 'Overloaded'),
  };
}

function drawnPart(settings: NonNullable<Script['picture']>): GeminiPromptPart {
  const part = { inlineData: { mimeType: 'image/png', data: sandboxPicture(settings) } };
  return { ...part, thoughtSignature: signatureOf(part) };
}

/**
 * Returns the pieces of a function call. The whole call is sent as the last piece, so earlier pieces are empty; a call
 * that the token limit cuts off is never sent.
 */
function wholeCall({ blocks, end }: Script, index: number): (GeminiPromptPart[] | undefined)[] {
  const { name, pieces } = blocks[index] as Extract<Script['blocks'][number], { kind: 'tool' }>;
  const isCut = end === 'length' && index === blocks.length - 1;
  const silent = Array.from({ length: Math.max(0, pieces.length - 1) }, () => undefined);
  if (isCut) return silent;
  const call: GeminiPromptPart = { functionCall: { name, args: JSON.parse(pieces.join('') || '{}') as object } };
  const isFirst = blocks.findIndex(({ kind }) => kind === 'tool') === index;
  return [...silent, [isFirst ? { ...call, thoughtSignature: signatureOf(call) } : call]];
}

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Returns the body of an error, with the retry delay, if there is one: https://google.aip.dev/193. */
export function sandboxGeminiRefusal(code: number, message: string, retryAfterSeconds?: number): object {
  const wait = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
  const details = retryAfterSeconds === undefined ? {} : { details: [wait] };
  return { error: { code, message, status: statuses[code] ?? 'INTERNAL', ...details } };
}

export function geminiCount({ inputTokens }: Script): object {
  return { totalTokens: inputTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }] };
}

function sandboxGeminiUsage(script: Script): object {
  const { inputTokens, outputTokens, imageTokens = 0, directives } = script;
  const thoughts = thinkingTokens(script);
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - thoughts,
    totalTokenCount: inputTokens + outputTokens,
    cachedContentTokenCount: Math.min(directives.cachedTokens, inputTokens),
    thoughtsTokenCount: thoughts,
    ...(imageTokens > 0 ? { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: imageTokens }] } : {}),
  };
}
