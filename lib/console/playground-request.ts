/** What the playground sends: a request of the Messages API, made of what a person has typed. */

import type { ShownModel } from './answers.ts';

export interface PlaygroundDraft {
  model: string;
  system: string;
  prompt: string;
  maxTokens: string;
  /** JSON: a list of tools, or nothing. */
  tools: string;
  isSearching: boolean;
  isThinking: boolean;
  image: { mediaType: string; base64: string } | undefined;
}

interface SentTool {
  name?: string;
  description?: string;
  input_schema?: unknown;
  type?: string;
}

export interface MessagesBody {
  model: string;
  max_tokens: number;
  stream: true;
  system?: string;
  tools?: SentTool[];
  thinking?: { type: 'adaptive'; display: 'summarized' };
  messages: { role: 'user'; content: string | ContentPart[] }[];
}

type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } };

export const webSearchTool = { type: 'web_search_20250305', name: 'web_search' };

/** @throws {SyntaxError} when the tools are no list in JSON */
export function messagesBody(draft: PlaygroundDraft): MessagesBody {
  const tools = [...typedTools(draft.tools), ...(draft.isSearching ? [webSearchTool] : [])];
  return {
    model: draft.model,
    max_tokens: Number(draft.maxTokens),
    stream: true,
    ...(draft.system.trim() === '' ? {} : { system: draft.system }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(draft.isThinking ? { thinking: { type: 'adaptive', display: 'summarized' } } : {}),
    messages: [{ role: 'user', content: promptContent(draft) }],
  };
}

function typedTools(text: string): SentTool[] {
  if (text.trim() === '') return [];
  const tools: unknown = JSON.parse(text);
  if (!Array.isArray(tools)) throw new SyntaxError('not a list');
  return tools as SentTool[];
}

function promptContent({ prompt, image }: PlaygroundDraft): string | ContentPart[] {
  if (!image) return prompt;
  return [
    { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.base64 } },
    { type: 'text', text: prompt },
  ];
}

/** A model, as far as the playground looks at it. */
type PlaygroundModel = Pick<ShownModel, 'id' | 'available'> & {
  architecture: Pick<ShownModel['architecture'], 'output_modalities'>;
};

/** Whether a prompt may be sent to a model here; it is not ruled out where nobody knows. */
export function isCallable({ available, architecture }: PlaygroundModel): boolean {
  return available !== false && architecture.output_modalities.includes('text');
}

/** The model that is tried first: one that is known to be callable, before those of which nothing is known. */
export function firstModelOf(models: readonly PlaygroundModel[]): string | undefined {
  const callable = models.filter(isCallable);
  return (callable.find(({ available }) => available === true) ?? callable[0])?.id;
}
