import type { MessagesRequest } from '../../messages/types.ts';
import { withFittingBudget, withKnownMembers } from '../anthropic/thinking.ts';
import type { ConverseTarget } from './families.ts';

/** Returns the fields that only some model families have. The limit `maxTokens` includes thinking. */
export function modelFields(
  request: MessagesRequest,
  target: ConverseTarget,
  maxTokens: number,
): Record<string, unknown> {
  const fields = { ...converseThinkingFields(request, target, maxTokens), ...topKField(request, target) };
  return Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {};
}

function converseThinkingFields(
  request: MessagesRequest,
  { quirks, supportedParameters }: ConverseTarget,
  maxTokens: number,
): Record<string, unknown> {
  if (!supportedParameters.includes('reasoning')) return {};
  const { thinking, output_config: { effort } = {} } = request;
  switch (quirks.family) {
    case 'claude':
      return {
        // Converse accepts no betas.
        ...(thinking ? { thinking: withKnownMembers(withFittingBudget(request, maxTokens)!, () => true) } : {}),
        ...(effort ? { output_config: { effort } } : {}),
      };
    case 'nova':
      if (!thinking) return {};
      if (thinking.type === 'disabled') return { reasoningConfig: { type: 'disabled' } };
      // The gateway never sends "high", which allows no token limit: the answer's price would have no upper bound.
      return {
        reasoningConfig: {
          type: 'enabled',
          maxReasoningEffort: effort === 'low' || effort === 'minimal' ? 'low' : 'medium',
        },
      };
    default:
      // Models of other families get no setting for thinking.
      return {};
  }
}

function topKField(
  { top_k: topK }: MessagesRequest,
  { quirks, supportedParameters }: ConverseTarget,
): Record<string, unknown> {
  if (topK === undefined || !supportedParameters.includes('top_k')) return {};
  if (quirks.family === 'claude') return { top_k: topK };
  return quirks.family === 'nova' ? { inferenceConfig: { topK } } : {};
}
