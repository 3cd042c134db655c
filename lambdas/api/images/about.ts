import { ok, providerErrors, tagged } from '../../http/about.ts';
import { estimateAbout, type ModalityTexts } from '../parts/about.ts';
import { imageAnswer, imageEndpointsAnswer, imageModelListAnswer, openaiImageAnswer } from './shape.ts';

const imageExample = { model: 'sandbox/painter', prompt: 'A fox in the snow', size: '1024x1024' };
/** The first bytes of a PNG. */
const b64_json = 'iVBORw0KGgo=';
const drawnAt = 1_795_000_000;

const billing =
  'A finished image is charged whole, and a request that fails costs nothing. The answer comes after up to five minutes, as a whole or with `stream` as events; a failure before the first image has its status.';
const late = 'If the answer has no `usage.cost` yet, `GET /generation` has the cost a little later.';

const partialImage = 'An unfinished image in base64, if the model sends any: at most `partial_images`.';
const completedImage = 'The image in base64, with its usage and cost. It is the last event.';
const error = 'The answer broke off, and costs nothing; the body is that of every error.';

function streamed(kind: 'image_generation' | 'image_edit', example: object) {
  const data = JSON.stringify({ type: `${kind}.completed`, ...example });
  return {
    'text/event-stream; charset=utf-8': {
      schema: { type: 'string' as const },
      example: `event: ${kind}.completed\ndata: ${data}\n\n`,
      'x-events': { [`${kind}.partial_image`]: partialImage, [`${kind}.completed`]: completedImage, error },
    },
  };
}

const imageUsageExample = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, output_images: 1, cost: 4 };

export const about: ModalityTexts = {
  summary: 'Draw images',
  description: `Draws images from a description, and from pictures if the model takes any. A size, quality or format that the model does not have is refused; the message lists those that it has. ${billing}`,
  bodyExample: imageExample,
  answer: {
    ...ok('The finished images, in base64.', imageAnswer, {
      created: drawnAt,
      data: [{ b64_json, media_type: 'image/png' }],
      usage: imageUsageExample,
    }),
    content: streamed('image_generation', {
      b64_json,
      media_type: 'image/png',
      created: drawnAt,
      usage: imageUsageExample,
    }),
  },
  estimateSummary: 'Estimate images',
};

const editExample = { ...imageExample, images: [{ image_url: `data:image/png;base64,${b64_json}` }] };
const openaiExample = {
  created: drawnAt,
  output_format: 'png',
  size: '1024x1024',
  usage: {
    input_tokens: 0,
    input_tokens_details: { text_tokens: 0, image_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { text_tokens: 0, image_tokens: 0 },
    total_tokens: 0,
    output_images: 1,
    cost: 4,
  },
  data: [{ b64_json }],
};

const openaiEvent = (kind: 'image_generation' | 'image_edit') =>
  streamed(kind, { b64_json, created_at: drawnAt, output_format: 'png', usage: openaiExample.usage });

const parameters = {
  n: { type: 'range', min: 1, max: 10 },
  size: { type: 'enum', values: ['1024x1024', '512x512'] },
  output_format: { type: 'enum', values: ['png', 'jpeg'] },
};

const inference = tagged('Inference', {
  'generate-image': {
    chargedOnce: true,
    summary: 'Draw images, in OpenAI’s shape',
    description: `The same as \`POST /images\`, with the answer of OpenAI’s API. ${billing} ${late}`,
    bodyExample: imageExample,
    success: {
      ...ok('The finished images, in base64.', openaiImageAnswer, openaiExample),
      content: openaiEvent('image_generation'),
    },
    errors: [...providerErrors, 'payment_required'],
  },
  'edit-image': {
    chargedOnce: true,
    summary: 'Edit images, in OpenAI’s shape',
    description: `Draws images from pictures and a description of the change. ${billing} ${late}`,
    bodyExample: editExample,
    success: {
      ...ok('The finished images, in base64.', openaiImageAnswer, openaiExample),
      content: openaiEvent('image_edit'),
    },
    errors: [...providerErrors, 'payment_required'],
  },
  'estimate-image-edit': estimateAbout({
    summary: 'Estimate edits of images',
    path: '/images/edits',
    bodyExample: editExample,
  }),
});

const catalog = tagged('Catalog', {
  'list-images-models': {
    summary: 'List image models',
    description: 'Models for `POST /images`, with what each can be asked for.',
    success: ok('The models that draw images.', imageModelListAnswer, {
      data: [
        {
          id: 'sandbox/painter',
          name: 'Sandbox Painter',
          description: '',
          created: drawnAt,
          available: true,
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
          supported_parameters: parameters,
          supports_streaming: false,
          endpoints: '/v1/images/models/sandbox/painter/endpoints',
        },
      ],
    }),
  },
  'list-image-endpoints': {
    summary: 'List the endpoints of an image model',
    description: 'The endpoints of one model (each one provider’s offer of it), with its prices and accepted values.',
    success: ok('The endpoints of the model.', imageEndpointsAnswer, {
      id: 'sandbox/painter',
      endpoints: [
        {
          provider_name: 'Sandbox Chat',
          provider_slug: 'sandbox-openai',
          provider_tag: 'sandbox-openai',
          supported_parameters: parameters,
          supports_streaming: false,
          allowed_passthrough_parameters: [],
          pricing: [{ billable: 'output_image', unit: 'image', cost_rub: '4', cost_usd: 4 }],
        },
      ],
    }),
    errors: ['not_found'],
  },
});

export const images = { ...inference, ...catalog };
