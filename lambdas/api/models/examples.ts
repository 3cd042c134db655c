/** Examples of the API document. Their prices and limits may differ from the catalog. */

const claudePricing = {
  prompt: '0.000198',
  completion: '0.00099',
  input_cache_read: '0.0000198',
  input_cache_write: '0.0002475',
  web_search: '0.99',
};
const claudeParameters = ['max_tokens', 'stop', 'tools', 'tool_choice', 'reasoning', 'structured_outputs'];

const alike = {
  currency: 'RUB',
  per_request_limits: null,
  default_parameters: {
    temperature: null,
    top_p: null,
    top_k: null,
    frequency_penalty: null,
    presence_penalty: null,
    repetition_penalty: null,
  },
  supported_voices: null,
  object: 'model',
  type: 'model',
};

export const claudeExample = {
  ...alike,
  owned_by: 'anthropic',
  id: 'anthropic/claude-sonnet-5',
  canonical_slug: 'anthropic/claude-sonnet-5-20260630',
  name: 'Claude Sonnet 5',
  created: 1_782_777_600,
  icon_id: 'anthropic',
  knowledge_cutoff: '2026-01-31',
  available: true,
  context_length: 1_000_000,
  architecture: {
    input_modalities: ['text', 'image', 'file'],
    output_modalities: ['text'],
    modality: 'text+image+file->text',
    tokenizer: 'Other',
    instruct_type: null,
  },
  pricing: claudePricing,
  top_provider: { context_length: 1_000_000, max_completion_tokens: 128_000, is_moderated: false },
  supported_parameters: claudeParameters,
  links: { details: '/v1/models/anthropic/claude-sonnet-5/endpoints' },
  display_name: 'Claude Sonnet 5',
};

export const claudeEndpointExample = {
  name: 'Anthropic | anthropic/claude-sonnet-5',
  endpoint_id: 'anthropic/anthropic/claude-sonnet-5',
  model_id: 'anthropic/claude-sonnet-5',
  model_name: 'Claude Sonnet 5',
  provider_name: 'Anthropic',
  available: true,
  tag: 'anthropic',
  context_length: 1_000_000,
  max_completion_tokens: 128_000,
  max_prompt_tokens: null,
  quantization: null,
  pricing: claudePricing,
  supported_parameters: claudeParameters,
  supports_implicit_caching: false,
  supports_tool_choice: { auto: true, none: true, required: true, function: true },
  supports_voice_cloning: false,
  data_policy: { logs_prompts: true, trains_on_prompts: false, retention_days: 30 },
  status: 0,
  uptime_last_5m: 100,
  uptime_last_30m: 99.8,
  uptime_last_1d: 99.9,
  latency_last_30m: { p50: 820, p75: 1_100, p90: 1_900, p99: 4_200 },
  throughput_last_30m: { p50: 71, p75: 62, p90: 48, p99: 20 },
};

export const filmmakerExample = {
  ...alike,
  owned_by: 'minimax',
  id: 'minimax/hailuo-2.3',
  canonical_slug: 'minimax/hailuo-2.3-20251028',
  name: 'Hailuo 2.3',
  created: 1_761_609_600,
  description: 'Silent videos with much movement. With a picture, the video has its proportions.',
  icon_id: 'minimax',
  available: true,
  context_length: null,
  architecture: {
    input_modalities: ['text', 'image'],
    output_modalities: ['video'],
    modality: 'text+image->video',
    tokenizer: 'Other',
    instruct_type: null,
  },
  pricing: {},
  pricing_skus: { 'per-video-second-768p': '5.544', 'per-video-second-1080p': '8.085' },
  top_provider: { context_length: null, max_completion_tokens: null, is_moderated: false },
  supported_parameters: [],
  links: { details: '/v1/models/minimax/hailuo-2.3/endpoints' },
  display_name: 'Hailuo 2.3',
  allowed_passthrough_parameters: [],
  supported_durations: [6, 10],
  supported_resolutions: ['768p', '1080p'],
  supported_aspect_ratios: ['16:9'],
  supported_sizes: null,
  supported_frame_images: ['first_frame'],
  generate_audio: null,
  seed: null,
  creativity: null,
  upscale_factor: null,
};

/** Adds the fields that have the same value in all examples. */
export function listedExample(fields: { id: string; name: string }) {
  const links = { details: `/v1/models/${fields.id}/endpoints` };
  return { ...alike, available: true, links, display_name: fields.name, ...fields };
}
