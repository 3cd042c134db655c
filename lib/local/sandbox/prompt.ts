/** The parts of a request on which the sandbox's answer depends. */

import type { JsonSchema } from './example.ts';

export interface SandboxTool {
  name: string;
  schema: JsonSchema | undefined;
}

interface ToolResult {
  name: string;
  text: string;
}

export interface SandboxPrompt {
  /** Last text of the user; tool results may follow. */
  lastUserText: string;
  /** Tool results in the user's last turn with text, and in later turns. */
  results: ToolResult[];
  /** Whether the last message is a tool result. */
  answersTool: boolean;
  tools: SandboxTool[];
  toolRequired: boolean;
  /** Schema of a structured answer. */
  answerSchema?: JsonSchema | undefined;
  /** The answer ends before the first occurrence of one of these texts. */
  stopSequences: readonly string[];
  isThinkingRequested: boolean;
  maxTokens: number | undefined;
  /** Hidden thinking tokens, unless a directive sets another number. */
  hiddenReasoningTokens: number;
  /** Reason why the sandbox rejects the request with 400. */
  refusal?: string | undefined;
  characters: number;
  images: number;
  pdfs: number;
  recordings?: number;
  /** Settings of the image that the answer must contain. */
  picture?: { aspectRatio?: string; imageSize?: string } | undefined;
  /** Whether the answer must be spoken. */
  isSpoken?: boolean;
}

/** Instruction that the gateway adds to a prompt for a JSON object without a schema. */
const JSON_INSTRUCTION = 'Answer with a single JSON object and nothing else';

/** Adds a schema for the answer if the request, as JSON, has the instruction to answer with a JSON object. */
export function withRequestedJson(prompt: SandboxPrompt, request: string): SandboxPrompt {
  if (prompt.answerSchema || !request.includes(JSON_INSTRUCTION)) return prompt;
  return { ...prompt, answerSchema: { properties: { answer: { type: 'string' } } } };
}

export interface SandboxTurn {
  text: string;
  results: ToolResult[];
}

/** Matches a text that a client program has added, which is not a request of the user. */
const SYSTEM = /^\s*<system>[\s\S]*<\/system>\s*$/;

export function lastTurns(all: SandboxTurn[]): Pick<SandboxPrompt, 'lastUserText' | 'results' | 'answersTool'> {
  const turns = all.filter(({ text, results }) => results.length > 0 || !SYSTEM.test(text));
  const requested = turns.findLastIndex(({ text, results }) => text.trim() !== '' || results.length === 0);
  return {
    lastUserText: turns[requested]?.text ?? '',
    results: turns.slice(Math.max(0, requested)).flatMap(({ results }) => results),
    answersTool: (turns.at(-1)?.results.length ?? 0) > 0,
  };
}
