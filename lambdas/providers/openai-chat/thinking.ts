import type { MessagesRequest } from '../../messages/types.ts';
import { effortOfBudget } from '../translated/effort.ts';
import type { ChatTarget } from './target.ts';

/** Asks for thinking in each provider's own way; asks nothing of models that decide themselves or do not think. */
export function thinkingFields(request: MessagesRequest, target: ChatTarget): Record<string, unknown> {
  const { quirks, supportedParameters } = target;
  if (!supportedParameters.includes('reasoning')) return {};
  const wanted = request.thinking ? request.thinking.type !== 'disabled' : undefined;
  switch (quirks.reasoning_request ?? 'none') {
    case 'none':
      return {};
    case 'reasoning_effort': {
      if (quirks.no_effort_with_tools && request.tools?.length) return {};
      const effort = request.output_config?.effort ?? effortOfBudget(request.thinking?.budget_tokens);
      if (wanted === false) return { reasoning_effort: 'low' };
      return effort ? { reasoning_effort: effort === 'xhigh' || effort === 'max' ? 'high' : effort } : {};
    }
    case 'enable_thinking':
      if (wanted === undefined) return {};
      return {
        enable_thinking: wanted,
        ...(wanted && request.thinking?.budget_tokens ? { thinking_budget: request.thinking.budget_tokens } : {}),
      };
    case 'thinking_type':
      // Models that think by default refuse a forced tool while they think.
      if (wanted === undefined) return forcesTool(request) ? { thinking: { type: 'disabled' } } : {};
      return { thinking: { type: wanted ? 'enabled' : 'disabled' } };
  }
}

function forcesTool({ tool_choice: choice }: MessagesRequest): boolean {
  return choice?.type === 'any' || choice?.type === 'tool';
}
