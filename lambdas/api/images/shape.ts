import * as z from 'zod';
import { modalities } from '../../catalog/modality.ts';
import { inputModalities } from '../../catalog/wires.ts';
import { countShape, dataShape, rub, rubText } from '../../http/shapes.ts';
import { availabilityShape, lateCostShape } from '../parts/shape.ts';

const created = z.int().meta({ description: 'The time at which the images were finished, as a Unix time in seconds.' });
const base64Shape = z.string().meta({ description: 'The file of the image in base64.' });

export const imageAnswer = z
  .strictObject({
    created,
    data: z
      .array(
        z.strictObject({
          b64_json: base64Shape,
          media_type: z
            .enum(['image/png', 'image/jpeg', 'image/webp'])
            .meta({ description: 'The media type of the file, by its first bytes.' }),
        }),
      )
      .meta({ description: 'The images. A provider may draw fewer than `n`, and only these are charged.' }),
    usage: z
      .strictObject({
        prompt_tokens: countShape.meta({ description: 'The tokens of the prompt, 0 if the provider bills none.' }),
        completion_tokens: countShape.meta({ description: 'The tokens of the answer, 0 if the provider bills none.' }),
        total_tokens: countShape.meta({ description: 'The sum of both counts of tokens.' }),
        completion_tokens_details: z
          .strictObject({ image_tokens: countShape.meta({ description: 'The tokens of the images alone.' }) })
          .optional()
          .meta({ description: 'The kinds of tokens of the answer, if the provider bills tokens.' }),
        output_images: countShape.meta({ description: 'The number of finished images.' }),
        cost: lateCostShape,
      })
      .meta({ description: 'The counted units, and their cost.' }),
  })
  .meta({ id: 'Images' });
export type ImageAnswer = z.output<typeof imageAnswer>;

const settledImageField = (description: string) => z.string().optional().meta({ description });

export const openaiImageAnswer = z
  .strictObject({
    created,
    background: settledImageField('The background that you sent, unless it is `auto`.'),
    output_format: settledImageField('The format of the files.'),
    quality: settledImageField(
      'The quality that you sent, by its present name: `medium` for `standard`, `high` for `hd`. `auto` and `premium` are absent.',
    ),
    size: settledImageField('The size that you sent, unless it is `auto`.'),
    usage: z
      .strictObject({
        input_tokens: countShape.meta({ description: 'The tokens of the prompt, 0 if the provider bills none.' }),
        input_tokens_details: z
          .strictObject({
            text_tokens: countShape.meta({ description: 'The tokens of the text.' }),
            image_tokens: countShape.meta({ description: 'The tokens of the pictures.' }),
          })
          .meta({ description: 'The kinds of tokens of the prompt.' }),
        output_tokens: countShape.meta({ description: 'The tokens of the answer, 0 if the provider bills none.' }),
        output_tokens_details: z
          .strictObject({
            text_tokens: countShape.meta({ description: 'The tokens of the text alone.' }),
            image_tokens: countShape.meta({ description: 'The tokens of the images.' }),
          })
          .meta({ description: 'The kinds of tokens of the answer.' }),
        total_tokens: countShape.meta({ description: 'The sum of both counts of tokens.' }),
        output_images: countShape.meta({ description: 'The number of finished images.' }),
        cost: lateCostShape,
      })
      .meta({ description: 'The counted units, and their cost.' }),
    data: z
      .array(z.strictObject({ b64_json: base64Shape }))
      .meta({ description: 'The images. A provider may draw fewer than `n`, and only these are charged.' }),
  })
  .meta({ id: 'ImagesInOpenaiShape' });
export type OpenaiImageAnswer = z.output<typeof openaiImageAnswer>;

const capability = z.union([
  z.strictObject({
    type: z.literal('enum'),
    values: z.array(z.string()).meta({ description: 'The accepted values of the field.' }),
  }),
  z.strictObject({
    type: z.literal('range'),
    min: z.int().meta({ description: 'The lowest accepted value of the field.' }),
    max: z.int().meta({ description: 'The highest accepted value of the field.' }),
  }),
  z.strictObject({ type: z.literal('boolean') }),
]);
export type CapabilityBody = z.output<typeof capability>;

const supportedParameters = z.record(z.string(), capability).meta({
  description: 'The fields that requests may have, each with its accepted values. An absent field is not supported.',
});
const supportsStreaming = z
  .boolean()
  .meta({ description: 'Whether partial images can be streamed. Without them, a stream has only the finished image.' });

const imageModel = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the model, which requests send as `model`.' }),
    name: z.string().meta({ description: 'The name of the model for people.' }),
    description: z.string().meta({ description: 'A description of the model; it may be empty.' }),
    created: z.int().meta({ description: 'The time at which the model was published, as a Unix time in seconds.' }),
    ...availabilityShape,
    architecture: z
      .strictObject({
        input_modalities: z
          .array(z.enum(inputModalities))
          .meta({ description: 'The kinds of input that the model takes.' }),
        output_modalities: z
          .array(z.enum(modalities))
          .meta({ description: 'The kinds of output that the model makes.' }),
      })
      .meta({ description: 'The kinds of input and output of the model.' }),
    supported_parameters: supportedParameters,
    supports_streaming: supportsStreaming,
    endpoints: z.string().meta({ description: 'The path of the model’s endpoints, with their prices.' }),
  })
  .meta({ id: 'ImageModel' });
export type ImageModelBody = z.output<typeof imageModel>;

export const imageModelListAnswer = dataShape(z.array(imageModel));
export type ImageModelListAnswer = z.output<typeof imageModelListAnswer>;

const imagePrice = z.strictObject({
  billable: z
    .enum(['output_image', 'input_image', 'input_text'])
    .meta({ description: 'The priced units: images drawn, pictures of the request, or its text.' }),
  unit: z.enum(['image', 'token', 'request']).meta({ description: 'The unit of the price.' }),
  variant: z
    .string()
    .optional()
    .meta({ description: 'The kind of image: quality, size or resolution; absent if the price is that of all.' }),
  cost_rub: rubText.meta({ description: 'The price of one unit in roubles.' }),
  cost_usd: rub.meta({
    description: 'The same price, in roubles despite the name: clients of OpenRouter’s API require this field.',
  }),
});
export type ImagePriceBody = z.output<typeof imagePrice>;

const imageEndpoint = z
  .strictObject({
    provider_name: z.string().meta({ description: 'The name of the provider.' }),
    provider_slug: z.string().meta({ description: 'The id of the provider, as `provider.only` names it.' }),
    provider_tag: z.string().nullable().meta({ description: 'The tag of the endpoint.' }),
    supported_parameters: supportedParameters,
    supports_streaming: supportsStreaming,
    allowed_passthrough_parameters: z
      .array(z.string())
      .meta({ description: 'Fields that are passed to the provider unchanged; there are none.' }),
    pricing: z.array(imagePrice).meta({ description: 'The prices of the endpoint.' }),
  })
  .meta({ id: 'ImageEndpoint' });
export type ImageEndpointBody = z.output<typeof imageEndpoint>;

export const imageEndpointsAnswer = z.strictObject({
  id: z.string().meta({ description: 'The id of the model.' }),
  endpoints: z.array(imageEndpoint).meta({ description: 'The endpoints of the model.' }),
});
export type ImageEndpointsAnswer = z.output<typeof imageEndpointsAnswer>;
