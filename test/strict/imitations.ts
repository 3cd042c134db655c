/**
 * Strict fakes of providers with a compatible form of the Messages API: DeepSeek, Moonshot, Z.ai, MiniMax. They support
 * fewer features than Anthropic, and refuse unknown fields.
 */

import * as z from 'zod';
import { blankRule, claudeFields, callRules, messageSchema, noAgentFields, type ClaudeBody } from './anthropic.ts';
import { moonshotFlavor, strictFake, type Rule, type StrictFake } from './rules.ts';

const fields = {
  ...claudeFields,
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(messageSchema.extend({ role: z.enum(['user', 'assistant']) })).min(1),
  service_tier: z.never().optional(),
};
const body = z.strictObject(fields);

const isForced = ({ read }: { read: ClaudeBody }) =>
  read.tool_choice?.type === 'any' || read.tool_choice?.type === 'tool';

/**
 * Returns the rules.
 * @param takesForced returns when a request may force the model to call a tool
 */
const rules = (takesForced: (model: string) => 'always' | 'without_thinking' | 'never'): Rule<ClaudeBody>[] => [
  blankRule,
  noAgentFields,
  ...callRules,
  {
    source: 'https://github.com/QwenLM/Qwen/issues/2244',
    refuses: ({ read }) => read.thinking?.type === 'adaptive' && 'thinking.type: unknown variant `adaptive`',
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

const ofDeepSeek = rules(() => 'without_thinking');
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

export const imitations: Record<string, StrictFake> = {
  'deepseek-anthropic': strictFake(body, ofDeepSeek),
  'moonshotai-anthropic': strictFake(body, ofMoonshot),
  'zai-anthropic': strictFake(body, ofOthers),
  minimax: strictFake(body, ofOthers),
};
export const imitationRules: readonly Rule<ClaudeBody>[] = [...ofDeepSeek, ...ofMoonshot];
