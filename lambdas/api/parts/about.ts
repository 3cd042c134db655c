/** Documentation that several resources share. */

import { exampleIds, ok, providerErrors, tagged, type About, type Success } from '../../http/about.ts';
import type { ModalityRow } from '../../route.ts';
import { estimateAnswerShape } from './shape.ts';

export const usageExample = { usage: 120.03, usage_daily: 0.03, usage_weekly: 20.03, usage_monthly: 120.03 };

export const budgetExample = {
  id: '7c2b9f0e-54a1-8d3c-9a77-0b1e2d3c4f5a',
  workspace_id: exampleIds.workspace,
  interval: 'monthly',
  limit_rub: '30000',
  limit_usd: null,
  spend_rub: '1204.55',
  remaining_rub: '28795.45',
  resets_at: '2026-12-01T00:00:00.000Z',
  reset_interval: 'monthly',
  created_at: '2026-09-02T10:11:12.000Z',
  updated_at: '2026-11-03T08:30:00.000Z',
};

/** Example of a key, workspace or member without use limits. */
export const useLimitsExample = {
  allowed_models: null,
  allowed_networks: null,
  rpm_limit: null,
  tpm_limit: null,
  parallel_limit: null,
  required_tags: null,
};

export const privacyExample = {
  version: 0,
  blockLogging: false,
  blockTraining: false,
  allowedProviders: [],
  ignoredProviders: [],
};

const estimateExample = {
  data: {
    input_tokens: 3,
    hold_rub: '0.2733',
    admits: true,
    allowed_max_tokens: null,
    affordable_max_tokens: null,
    candidates: [
      {
        model: 'sandbox/claude',
        endpoint_id: 'f1e8bb29-7c0e-8a53-9d0e-2f1a3b4c5d6e',
        provider_name: 'Sandbox Anthropic',
        min_cost_rub: '0',
        input_cost_rub: '0.0009',
        max_cost_rub: '0.2733',
      },
    ],
    excluded: [
      {
        model: 'sandbox/claude',
        endpoint_id: '0a6b4a57-3f1c-8c2d-8e11-7d6c5b4a3928',
        provider_name: 'Sandbox Chat',
        reason: 'data_policy:training',
      },
    ],
    limits: [
      { source: 'key_limit', interval: 'monthly', limit_rub: '500', remaining_rub: '428.2', admits: true },
      { source: 'account_balance', interval: 'lifetime', limit_rub: '10000', remaining_rub: '7310.55', admits: true },
    ],
    free_limits: [],
  },
};

/**
 * Documents the estimate for a route.
 * @param more text that only this estimate has
 */
export function estimateAbout({
  summary,
  path,
  more,
  bodyExample,
}: {
  summary: string;
  path: string;
  more?: string;
  bodyExample: unknown;
}): Omit<About, 'tag'> {
  const description = [
    `Says what a request to \`POST ${path}\` would cost, which endpoints (offers of the models by providers) would be tried in which order, and whether the limits of the key, its workspace, its member and its account have room for it. It takes the body of that request, and refuses the same bodies. Missing money is not refused: the answer is 200, with \`admits\` false. Nothing is held (set aside), charged or recorded, and no model gets the request. An \`Idempotency-Key\` has no effect.`,
    more,
  ];
  return {
    summary,
    description: description.filter(Boolean).join(' '),
    bodyExample,
    success: ok('The estimate of the request.', estimateAnswerShape, estimateExample),
    errors: ['not_found', 'provider_unavailable', 'provider_overloaded'],
  };
}

/** `models` describes the list, as in "The models that transcribe recordings." */
export interface ModelListTexts {
  summary: string;
  models: string;
  /** Fields that only the example model of this list has. */
  example: { id: string; name: string } & Record<string, unknown>;
}

export interface ModalityTexts {
  summary: string;
  description: string;
  bodyExample: unknown;
  answer: Success;
  estimateSummary: string;
  /** The modality's own list of models, if it has one. */
  list?: ModelListTexts;
}

const BILLING_STATUS = 'x-service-billing-status';
const lateCost = `If the answer has no \`usage.cost\` yet, the header \`${BILLING_STATUS}\` is \`pending\`, and \`GET /generation\` has the cost a little later.`;
const pending = 'The value is `pending` if the answer has no `usage.cost` yet; otherwise the header is absent.';

/** Documents requests of a modality, and their estimates. */
export function modalityAbouts({ one, paths }: ModalityRow, texts: ModalityTexts): Record<string, About> {
  const { summary, description, bodyExample, answer, estimateSummary } = texts;
  return tagged('Inference', {
    [`create-${one}`]: {
      chargedOnce: true,
      summary,
      description: `${description} ${lateCost}`,
      bodyExample,
      success: { ...answer, headers: { [BILLING_STATUS]: pending } },
      errors: [...providerErrors, 'payment_required'],
    },
    [`estimate-${one}`]: estimateAbout({ summary: estimateSummary, path: paths[0], bodyExample }),
  });
}

/** Text about estimates that may count the prompt's tokens exactly. */
export const countedEstimate =
  'The number of tokens of the prompt is estimated from its size. Only if the limits have no room for that are the tokens counted, by the provider if it can; the request itself does the same. The request may also wait some seconds for what running requests hold; the estimate does not wait. Free models have limits of their own (429), which `free_limits` shows without taking anything of them.';
