import type { ShownModel } from './answers.ts';

export interface PlaygroundDraft {
  model: string;
  system: string;
  prompt: string;
  maxTokens: string;
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

/**
 * Builds the request body.
 * @throws {SyntaxError} if the tools are not a JSON list, or contain null
 */
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
  if (!Array.isArray(tools) || tools.includes(null)) throw new SyntaxError('not a list of tools');
  return tools as SentTool[];
}

function promptContent({ prompt, image }: PlaygroundDraft): string | ContentPart[] {
  if (!image) return prompt;
  return [
    { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.base64 } },
    { type: 'text', text: prompt },
  ];
}

type PlaygroundModel = Pick<ShownModel, 'id' | 'available'> & {
  architecture: Pick<ShownModel['architecture'], 'output_modalities'>;
};

/** Returns whether the model's only output is text, and it is not known to be unavailable. */
export function isCallable({ available, architecture }: PlaygroundModel): boolean {
  return available !== false && architecture.output_modalities.join() === 'text';
}

/** Returns the default model, preferably a model that is known to be callable. */
export function firstModelOf(models: readonly PlaygroundModel[]): string | undefined {
  const callable = models.filter(isCallable);
  return (callable.find(({ available }) => available === true) ?? callable[0])?.id;
}
