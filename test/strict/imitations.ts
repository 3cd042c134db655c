/** Strict fakes of providers with a compatible form of the Messages API, which refuse unknown fields. */

import * as z from 'zod';
import {
  betaFieldsRule,
  blankRule,
  claudeFields,
  callRules,
  messageSchema,
  noAgentFields,
  type ClaudeBody,
} from './anthropic.ts';
import { moonshotFlavor, strictFake, type Rule, type StrictFake } from './rules.ts';

const fields = {
  ...claudeFields,
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(messageSchema.extend({ role: z.enum(['user', 'assistant']) })).min(1),
  service_tier: z.never().optional(),
};
const body = z.strictObject(fields);

const isMinimaxM3 = (model: string) => /^minimax-m3/i.test(model);

const isForced = ({ read }: { read: ClaudeBody }) =>
  read.tool_choice?.type === 'any' || read.tool_choice?.type === 'tool';

/**
 * Returns the rules of a provider.
 * @param takesForced whether a request may force the model to call a tool
 */
const rules = (takesForced: (model: string) => 'always' | 'without_thinking' | 'never'): Rule<ClaudeBody>[] => [
  betaFieldsRule,
  blankRule,
  noAgentFields,
  ...callRules,
  {
    source: 'https://github.com/QwenLM/Qwen/issues/2244',
    refuses: ({ read, model }) =>
      !isMinimaxM3(model) && read.thinking?.type === 'adaptive' && 'thinking.type: unknown variant `adaptive`',
  },
  {
    source: 'https://github.com/tickernelz/opencode-mem/issues/253',
    refuses: (request) => {
      const taken = takesForced(request.model);
      const isThinking = request.read.thinking?.type !== 'disabled';
      return (
        isForced(request) &&
        (taken === 'never' || (taken === 'without_thinking' && isThinking)) &&
        'Thinking mode does not support this tool_choice'
      );
    },
  },
  {
    source: 'https://docs.z.ai/api-reference/llm/chat-completion',
    refuses: ({ read, model }) =>
      model.startsWith('glm') &&
      read.tool_choice !== undefined &&
      read.tool_choice.type !== 'auto' &&
      'tool_choice: only auto is supported',
  },
];

const ofDeepSeek: Rule<ClaudeBody>[] = [
  ...rules(() => 'without_thinking'),
  {
    source: 'https://api-docs.deepseek.com/guides/thinking_mode',
    refuses: ({ read }) => {
      const answers = read.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
      const has = (content: (typeof answers)[number], kind: string) =>
        typeof content !== 'string' && content.some(({ type }) => type === kind);
      const mayCall = read.tools !== undefined || answers.some((content) => has(content, 'tool_use'));
      const isThinking = read.thinking?.type !== 'disabled';
      return (
        isThinking &&
        mayCall &&
        answers.some((content) => !has(content, 'thinking')) &&
        'The `content[].thinking` in the thinking mode must be passed back to the API.'
      );
    },
  },
];
const ofMoonshot: Rule<ClaudeBody>[] = [
  ...rules((model) => (model === 'kimi-k2-thinking' ? 'never' : 'without_thinking')),
  {
    source: moonshotFlavor.source,
    refuses: ({ read }) =>
      read.tools
        ?.map(({ input_schema: schema }) => moonshotFlavor.faultIn(schema))
        .find((fault) => fault !== undefined),
  },
];
const ofOthers = rules(() => 'always');
/** Returns the accepted types of thinking; undefined for the models before M3. */
function minimaxThinking(model: string): string[] | undefined {
  if (!isMinimaxM3(model)) return undefined;
  return hasMinimaxEfforts(model) ? ['adaptive'] : ['adaptive', 'disabled'];
}
const hasMinimaxEfforts = (model: string) => /^minimax-m3\.1/i.test(model);

const ofMinimax: Rule<ClaudeBody>[] = [
  ...ofOthers,
  {
    source: 'https://github.com/CherryHQ/cherry-studio/issues/16431',
    refuses: ({ read, model }) =>
      read.thinking !== undefined &&
      minimaxThinking(model)?.includes(read.thinking.type) === false &&
      `invalid params, invalid thinking.type: "${read.thinking.type}" (allowed: adaptive, disabled) (2013)`,
  },
  {
    source: 'https://github.com/decolua/9router/issues/817',
    refuses: ({ read, model }) =>
      (read.output_config?.format || (read.output_config?.effort && !hasMinimaxEfforts(model))) && 'invalid params',
  },
];

export const imitations: Record<string, StrictFake> = {
  'deepseek-anthropic': strictFake(body, ofDeepSeek),
  'moonshotai-anthropic': strictFake(body, ofMoonshot),
  'zai-anthropic': strictFake(body, ofOthers),
  minimax: strictFake(body, ofMinimax),
};
export const imitationRules: readonly Rule<ClaudeBody>[] = [...ofDeepSeek, ...ofMoonshot, ...ofMinimax];
