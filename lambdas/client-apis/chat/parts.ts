/** Content parts of the Chat Completions API, and their conversion to blocks. */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import type { Block } from '../../messages/types.ts';
import { cacheMarks, marked } from '../cache-marks.ts';
import { documentAddress, imageAddress, inputAudio, sentAudio, sentDocument, sentImage } from '../media.ts';

const MAX_FILE_NAME_CHARACTERS = 512;

const textPart = z.object({
  type: z.literal('text'),
  text: z.string().meta({ description: 'The text of the part.' }),
  ...cacheMarks,
});

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z
    .union([
      imageAddress,
      z.object({
        url: imageAddress.meta({ description: 'The address of the image, or its data as a data URL.' }),
        detail: optionalField(z.enum(['auto', 'low', 'high', 'original'])).meta({
          description: 'Accepted, and without an effect: providers get the image as it is.',
        }),
      }),
    ])
    .meta({ description: 'The image: an address, or an object with `url`.' }),
  ...cacheMarks,
});

const filePart = z.object({
  type: z.literal('file'),
  file: z
    .object({
      file_data: optionalField(documentAddress).meta({
        description: 'The document: a PDF or a text as a data URL, or its http(s) address.',
      }),
      filename: optionalField(z.string().max(MAX_FILE_NAME_CHARACTERS)).meta({ description: 'The name of the file.' }),
      file_id: optionalField(z.never('is not supported, because this gateway stores no files; send file_data')).meta({
        description: 'This field is refused, because this gateway keeps no files: send `file_data`.',
      }),
    })
    .refine(({ file_data: data }) => data !== undefined && data !== null, {
      path: ['file_data'],
      message: 'is required: the file as a data URL, or its http(s) URL',
    })
    .meta({ description: 'A document for the model to read.' }),
  ...cacheMarks,
});

const refusalPart = z.object({
  type: z.literal('refusal'),
  refusal: z.string().meta({ description: 'The text with which the model has refused.' }),
});

type TextPart = z.output<typeof textPart>;
type UserPart = TextPart | z.output<typeof imagePart> | z.output<typeof filePart> | z.output<typeof inputAudio>;
type AssistantPart = TextPart | z.output<typeof refusalPart>;

export const systemParts = [textPart] as const;
export const userParts = [textPart, imagePart, filePart, inputAudio] as const;
export const toolResultParts = [textPart, imagePart, filePart] as const;
export const assistantParts = [textPart, refusalPart] as const;

/**
 * Converts a part to a block.
 * @param part part that its schema has accepted
 */
export function partBlock(part: UserPart | AssistantPart): Block {
  switch (part.type) {
    case 'text':
      return marked({ type: 'text', text: part.text }, part);
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'file':
      return marked(sentDocument(part.file.file_data!, part.file.filename ?? undefined), part);
    case 'input_audio':
      return sentAudio(part);
    case 'image_url':
      return marked(sentImage(typeof part.image_url === 'string' ? part.image_url : part.image_url.url), part);
  }
}
