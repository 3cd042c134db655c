/** The parts of a request that a script depends on, whichever wire it came over. */

import type { JsonSchema } from './example.ts';

export interface SandboxTool {
  name: string;
  schema: JsonSchema | undefined;
}

interface ToolResult {
  /** Of its tool. */
  name: string;
  text: string;
}

export interface SandboxPrompt {
  /** What a user said last, before any results of tools. */
  lastUserText: string;
  /** What tools have answered since. */
  results: ToolResult[];
  /** The last message is the result of a tool. */
  answersTool: boolean;
  tools: SandboxTool[];
  toolRequired: boolean;
  /** What a structured answer has to fit. */
  answerSchema?: JsonSchema | undefined;
  /** A text ends before the first of these in it. */
  stopSequences: readonly string[];
  thinkingAsked: boolean;
  maxTokens: number | undefined;
  /** Tokens that the model thinks unasked and unseen, where the prompt has no directive. */
  hiddenReasoningTokens: number;
  /** Why the request is refused with 400; undefined: accepted. */
  refusal?: string | undefined;
  characters: number;
  images: number;
  pdfs: number;
  /** On the wires that take them. */
  recordings?: number;
}

/** A message of a user or of tools. */
export interface SandboxTurn {
  text: string;
  results: ToolResult[];
}

/** Words to a model that come from nobody but the client's program are no request of a user. */
const SYSTEM = /^\s*<system>[\s\S]*<\/system>\s*$/;

export function lastTurns(all: SandboxTurn[]): Pick<SandboxPrompt, 'lastUserText' | 'results' | 'answersTool'> {
  const turns = all.filter(({ text, results }) => results.length > 0 || !SYSTEM.test(text));
  const asked = turns.findLastIndex(({ text, results }) => text.trim() !== '' || results.length === 0);
  return {
    lastUserText: turns[asked]?.text ?? '',
    results: turns.slice(Math.max(0, asked)).flatMap(({ results }) => results),
    answersTool: (turns.at(-1)?.results.length ?? 0) > 0,
  };
}
