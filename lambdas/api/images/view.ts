/** Builds the responses of the image routes, in the formats of OpenRouter's and OpenAI's APIs. */

import { listResponse } from '../../http/list-response.ts';
import type { HttpResponse } from '../../http/response.ts';
import { imageUsage, openaiImageUsage, repeatedSettings } from '../../inference/modalities/image-events.ts';
import type { ImageBody } from '../../inference/modalities/images-schema.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { ImageFile } from '../../providers/images/codec.ts';
import type { WholeAnswer } from '../parts/modality-endpoint.ts';
import type { ImageAnswer, OpenaiImageAnswer } from './shape.ts';

type Drawn = WholeAnswer<ImageBody, readonly ImageFile[]>;
type MediaType = ImageAnswer['data'][number]['media_type'];

export function drawnImages({ result, charged }: Drawn): HttpResponse {
  const answer: Omit<ImageAnswer, 'data'> = {
    created: nowSeconds(),
    usage: imageUsage(charged, result.length),
  };
  const elements = result.map(({ base64, mediaType }): ImageAnswer['data'][number] => ({
    b64_json: base64,
    media_type: mediaType as MediaType,
  }));
  return listResponse(answer, { name: 'data', elements });
}

export function imagesForOpenai({ body, result, charged }: Drawn): HttpResponse {
  const settings = Object.entries(repeatedSettings(body));
  const answer: Omit<OpenaiImageAnswer, 'data'> = {
    created: nowSeconds(),
    output_format: result[0]?.mediaType.slice('image/'.length),
    // The value `auto` is omitted. OpenAI's API allows it in events, but not in a whole answer.
    ...Object.fromEntries(settings.filter(([, value]) => value !== 'auto')),
    usage: openaiImageUsage(charged, result.length),
  };
  return listResponse(answer, { name: 'data', elements: result.map(({ base64 }) => ({ b64_json: base64 })) });
}
