import type { Money } from '../../money/money.ts';
import { routeLimits, type ModelOffer } from './offer.ts';
import type { CapabilitiesBody, MessagesModelAnswer } from './messages-shape.ts';

export function messagesModelView(offer: ModelOffer): MessagesModelAnswer {
  const { model } = offer;
  const { contextLength, maxOutputTokens } = routeLimits(offer);
  return {
    id: model.id,
    type: 'model',
    display_name: model.data.name,
    created_at: `${model.data.created}T00:00:00Z`,
    max_input_tokens: contextLength,
    max_tokens: maxOutputTokens,
    capabilities: capabilitiesOf(offer),
    // The catalog has no deprecated or retired models, and does not group models into lines.
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: null,
  };
}

type Support = CapabilitiesBody['batch'];
const yes: Support = { supported: true };
/** Value for features that the gateway refuses, or that the model lacks. */
const no: Support = { supported: false };
/** Value for features that the catalog does not state. Clients require a boolean. */
const unknownSupport: Support = { supported: false };

function isPositive(price: Money | undefined): boolean {
  return price !== undefined && !price.isZero;
}

function capabilitiesOf({ model: { data, endpoints } }: ModelOffer): CapabilitiesBody {
  const takes = (modality: (typeof data.input_modalities)[number]) =>
    data.input_modalities.includes(modality) ? yes : no;
  const thinks = data.supported_parameters.includes('reasoning');
  // Each model gets the nearest form of thinking, and the nearest effort, that it accepts.
  const ifThinking = thinks ? yes : no;
  // The gateway itself searches the web for models that can call functions and have a price for searches.
  const searches =
    data.supported_parameters.includes('tools') && endpoints.some(({ pricing }) => isPositive(pricing?.web_search));
  return {
    batch: no,
    citations: unknownSupport,
    code_execution: no,
    context_management: {
      ...unknownSupport,
      clear_thinking_20251015: null,
      clear_tool_uses_20250919: null,
      compact_20260112: no,
    },
    effort: {
      ...ifThinking,
      low: ifThinking,
      medium: ifThinking,
      high: ifThinking,
      xhigh: ifThinking,
      max: ifThinking,
    },
    image_input: takes('image'),
    pdf_input: takes('file'),
    server_tools: { supported: searches, code_execution: no, web_search: { supported: searches } },
    // Some models support structured outputs although the catalog does not state this.
    structured_outputs: data.supported_parameters.includes('structured_outputs') ? yes : unknownSupport,
    thinking: {
      supported: thinks,
      types: {
        adaptive: ifThinking,
        between_tools: unknownSupport,
        disabled: yes,
        enabled: ifThinking,
      },
    },
  };
}
