/**
 * Script of a sandbox model's answer for any wire (API format): blocks that are divided into pieces for streaming. A
 * line "@sandbox …" in the last user message controls it (docs/sandbox.md).
 */

import { readDirectives, withoutDirectives, type Directives } from './directives.ts';
import { exampleObject } from './example.ts';
import type { SandboxPrompt } from './prompt.ts';
import { searchAnswer, answerFromUserText } from './search-answer.ts';
import { TOKENS_PER_SPOKEN_WORD } from './spoken-word.ts';
import { toolCalls, type ToolCall } from './tool-calls.ts';

type ScriptBlock = { kind: 'thinking'; pieces: string[] } | { kind: 'text'; pieces: string[] } | ToolCall;

type ScriptEnd = 'end' | 'length' | 'tools' | 'refusal' | 'stopped';

export interface Script {
  directives: Directives;
  blocks: ScriptBlock[];
  end: ScriptEnd;
  /** Stop sequence that ended the answer. */
  stopSequence: string | undefined;
  inputTokens: number;
  /** Output tokens, including hidden thinking. */
  outputTokens: number;
  hiddenReasoningTokens: number;
  /** Settings of the image at the end of the answer. */
  picture?: SandboxPrompt['picture'];
  /** Tokens of image and speech, which are included in the output tokens. */
  imageTokens?: number;
  audioTokens?: number;
  /** Tokens of recordings, which are included in the input tokens. */
  recordingTokens?: number;
}

const TOKENS_PER_IMAGE = 85;
/** Gemini's count for a generated image. */
const TOKENS_PER_DRAWN_IMAGE = 1_290;
/** Token count of a document of one page. */
const TOKENS_PER_PDF = 1_500;
/** Gemini's count for ten seconds; here for recordings of any length. */
const TOKENS_PER_RECORDING = 320;

export function writeScript(prompt: SandboxPrompt): Script {
  const directives = readDirectives(prompt.lastUserText);
  const blocks: ScriptBlock[] = [];
  if (directives.think || prompt.isThinkingRequested) {
    blocks.push({ kind: 'thinking', pieces: pieces('The sandbox pretends to think about this for a moment.') });
  }
  const calls = toolCalls(prompt, directives);
  if (calls.length > 0) blocks.push({ kind: 'text', pieces: pieces('Let me look that up. ') }, ...calls);
  else blocks.push({ kind: 'text', pieces: textPieces(prompt, directives) });
  const end: ScriptEnd = directives.refuse ? 'refusal' : calls.length > 0 ? 'tools' : 'end';
  const hiddenReasoningTokens = Math.min(
    directives.hiddenReasoningTokens ?? prompt.hiddenReasoningTokens,
    prompt.maxTokens ?? Infinity,
  );
  const stopped = stoppedBy(blocks, prompt.stopSequences);
  const cut = cutAt(
    stopped.blocks,
    prompt.maxTokens === undefined ? undefined : prompt.maxTokens - hiddenReasoningTokens,
  );
  const picture = cut.wasCut || directives.refuse || calls.length > 0 ? undefined : prompt.picture;
  const words = cut.blocks.reduce((sum, block) => sum + (block.kind === 'text' ? block.pieces.length : 0), 0);
  const imageTokens = picture ? TOKENS_PER_DRAWN_IMAGE : 0;
  const audioTokens = prompt.isSpoken ? words * TOKENS_PER_SPOKEN_WORD : 0;
  return {
    directives,
    picture,
    imageTokens,
    audioTokens,
    blocks: cut.blocks,
    end: cut.wasCut ? 'length' : stopped.by === undefined ? end : 'stopped',
    stopSequence: cut.wasCut ? undefined : stopped.by,
    inputTokens: inputTokens(prompt),
    recordingTokens: (prompt.recordings ?? 0) * TOKENS_PER_RECORDING,
    outputTokens: cut.blocks.reduce(
      (sum, block) => sum + block.pieces.length,
      hiddenReasoningTokens + imageTokens + audioTokens,
    ),
    hiddenReasoningTokens,
  };
}

function inputTokens({ characters, images, pdfs, recordings = 0 }: SandboxPrompt): number {
  const media = images * TOKENS_PER_IMAGE + pdfs * TOKENS_PER_PDF + recordings * TOKENS_PER_RECORDING;
  return Math.ceil(characters / 4) + media;
}

/** Returns the number of visible and hidden thinking tokens. */
export function thinkingTokens({ blocks, hiddenReasoningTokens }: Script): number {
  return hiddenReasoningTokens + (blocks.find(({ kind }) => kind === 'thinking')?.pieces.length ?? 0);
}

function textPieces(prompt: SandboxPrompt, { tokens, refuse }: Directives): string[] {
  if (refuse) return pieces('The sandbox was asked to refuse, and it does.');
  if (prompt.answerSchema) return pieces(JSON.stringify(exampleObject(prompt.answerSchema, 0)));
  if (tokens !== undefined) return Array.from({ length: tokens }, (_, index) => `word${index} `);
  const userText = withoutDirectives(prompt.lastUserText).trim().slice(0, 200);
  const seen = prompt.images > 0 ? ` I was shown ${prompt.images} image(s).` : '';
  const played = prompt.recordings ? ` I was played ${prompt.recordings} recording(s).` : '';
  const answered = searchAnswer(prompt) ?? 'The tool has answered, thank you.';
  const reply = prompt.answersTool ? answered : (answerFromUserText(prompt) ?? `You said: “${userText}”.`);
  return pieces(
    `Hello from the sandbox! Привет! ${reply}${seen}${played} No provider was called for this answer, and it still has a price.`,
  );
}

/** Splits a text into words with their trailing spaces. Each word counts as one token. */
function pieces(text: string): string[] {
  return text.match(/\S+\s*/gu) ?? [];
}

/** Returns the blocks before the first stop sequence in a text. */
function stoppedBy(
  blocks: ScriptBlock[],
  sequences: readonly string[],
): { blocks: ScriptBlock[]; by: string | undefined } {
  for (const [index, block] of blocks.entries()) {
    if (block.kind !== 'text') continue;
    const text = block.pieces.join('');
    const found = sequences.map((by) => ({ by, at: text.indexOf(by) })).filter(({ at }) => at !== -1);
    if (found.length === 0) continue;
    const { by, at } = found.reduce((first, other) => (other.at < first.at ? other : first));
    return { blocks: [...blocks.slice(0, index), { kind: 'text', pieces: pieces(text.slice(0, at)) }], by };
  }
  return { blocks, by: undefined };
}

function cutAt(blocks: ScriptBlock[], maxTokens: number | undefined): { blocks: ScriptBlock[]; wasCut: boolean } {
  let left = maxTokens ?? Infinity;
  const kept: ScriptBlock[] = [];
  for (const block of blocks) {
    if (left <= 0) return { blocks: kept, wasCut: true };
    kept.push({ ...block, pieces: block.pieces.slice(0, left) });
    if (block.pieces.length > left) return { blocks: kept, wasCut: true };
    left -= block.pieces.length;
  }
  return { blocks: kept, wasCut: false };
}
