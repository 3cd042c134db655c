/** The parts of a request on which the sandbox's answer depends, independent of the wire. */

import type { JsonSchema } from './example.ts';

export interface SandboxTool {
  name: string;
  schema: JsonSchema | undefined;
}

interface ToolResult {
  /** Name of the tool. */
  name: string;
  text: string;
}

export interface SandboxPrompt {
  /** Last text of the user. Tool results may follow. */
  lastUserText: string;
  /** Tool results in the user's last turn that has text, and in all later turns. */
  results: ToolResult[];
  /** Whether the last message is a tool result. */
  answersTool: boolean;
  tools: SandboxTool[];
  toolRequired: boolean;
  /** JSON schema that a structured answer must match. */
  answerSchema?: JsonSchema | undefined;
  /** Stop sequences: the answer ends before the first occurrence of one of these texts. */
  stopSequences: readonly string[];
  isThinkingRequested: boolean;
  maxTokens: number | undefined;
  /** Number of the model's hidden thinking tokens, unless a directive sets it. */
  hiddenReasoningTokens: number;
  /** Reason why the sandbox rejects the request with 400; undefined if it accepts the request. */
  refusal?: string | undefined;
  characters: number;
  images: number;
  pdfs: number;
  /** Number of audio recordings, on wires that support them. */
  recordings?: number;
  /** Settings of the image that the answer must contain. */
  picture?: { aspectRatio?: string; imageSize?: string } | undefined;
  /** Whether the answer must be spoken. */
  isSpoken?: boolean;
}

/** Message of a user, or message with tool results. */
export interface SandboxTurn {
  text: string;
  results: ToolResult[];
}

/** Matches a text that the client program has added for the model, which is not a request of the user. */
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
