/** The parts of a request that a script depends on, independent of the wire. */

import type { JsonSchema } from './example.ts';

export interface SandboxTool {
  name: string;
  schema: JsonSchema | undefined;
}

interface ToolResult {
  /** Name of its tool. */
  name: string;
  text: string;
}

export interface SandboxPrompt {
  /** The last text of the user, before any tool results. */
  lastUserText: string;
  /** Tool results since then. */
  results: ToolResult[];
  /** Whether the last message is a tool result. */
  answersTool: boolean;
  tools: SandboxTool[];
  toolRequired: boolean;
  /** Schema that a structured answer must match. */
  answerSchema?: JsonSchema | undefined;
  /** The answer ends before the first occurrence of one of these. */
  stopSequences: readonly string[];
  thinkingAsked: boolean;
  maxTokens: number | undefined;
  /** Hidden thinking tokens of the model, unless a directive sets them. */
  hiddenReasoningTokens: number;
  /** Reason why the request is refused with 400; undefined: accepted. */
  refusal?: string | undefined;
  characters: number;
  images: number;
  pdfs: number;
  /** Number of recordings, on wires that support them. */
  recordings?: number;
}

/** A message of a user or of tools. */
export interface SandboxTurn {
  text: string;
  results: ToolResult[];
}

/** A text that the client's program has added for the model; it does not count as a user's request. */
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
