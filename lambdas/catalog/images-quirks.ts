/** Schemas of the quirks of the wires that draw images. */

import * as z from 'zod';
import { common } from './common-quirks.ts';

export const openaiImagesQuirks = z.strictObject({
  ...common,
  /**
   * Value of `response_format` to request images in base64. Absent: the field is not sent, because OpenAI rejects it.
   */
  response_format: z.enum(['b64_json', 'base64']).optional(),
  /** Fields for the image size: `size`; `aspect_ratio` and `resolution`; or `width` and `height`. Default: `size`. */
  size_form: z.enum(['size', 'aspect_ratio', 'width_height']).optional(),
});
export type ImagesQuirks = z.infer<typeof openaiImagesQuirks>;
