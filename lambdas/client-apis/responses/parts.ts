/** Content parts of the Responses API, and their conversion to blocks. */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import type { Block } from '../../messages/types.ts';
import { cacheMarks, marked } from '../cache-marks.ts';
import { partsInText } from '../parts-as-text.ts';
import {
  detailed,
  documentAddress,
  fileDetail,
  imageAddress,
  imageDetail,
  inputAudio,
  sentAudio,
  sentDocument,
  sentImage,
} from '../media.ts';

const MAX_FILE_NAME_CHARACTERS = 512;
const NO_FILES = 'is not supported, because this gateway stores no files; send the data, or a URL';

const refusedFileId = optionalField(z.never(NO_FILES)).meta({
  description: 'This field is refused, because this gateway keeps no files: send the data, or an address.',
});
const inputText = z.object({
  type: z.literal('input_text'),
  text: z.string().meta({ description: 'The text of the part.' }),
  ...cacheMarks,
});
const inputImage = z
  .object({
    type: z.literal('input_image'),
    image_url: optionalField(imageAddress).meta({
      description: 'The address of the image, or its data as a data URL.',
    }),
    detail: imageDetail,
    file_id: refusedFileId,
    ...cacheMarks,
  })
  .refine(({ image_url: address }) => Boolean(address), {
    path: ['image_url'],
    message: 'is required: the image as a data URL, or its URL',
  });
const inputFile = z
  .object({
    type: z.literal('input_file'),
    file_data: optionalField(documentAddress).meta({ description: 'A PDF or a text, as a data URL.' }),
    file_url: optionalField(documentAddress).meta({ description: 'The http(s) address of the document.' }),
    filename: optionalField(z.string().max(MAX_FILE_NAME_CHARACTERS)).meta({ description: 'The name of the file.' }),
    detail: fileDetail,
    file_id: refusedFileId,
    ...cacheMarks,
  })
  .refine((file) => Boolean(file.file_data || file.file_url), {
    path: ['file_data'],
    message: 'is required: the file as a data URL, or its URL as file_url',
  });
const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string().meta({ description: 'The text of the answer.' }),
});
const refusal = z.object({
  type: z.literal('refusal'),
  refusal: z.string().meta({ description: 'The text with which the model has refused.' }),
});

/** Part of a result that only OpenAI can read (https://github.com/caozhiyuan/copilot-api/issues/339). It is dropped. */
const encryptedPart = z.object({ type: z.literal('encrypted_content') });

type Part =
  | z.output<typeof inputText>
  | z.output<typeof inputImage>
  | z.output<typeof inputFile>
  | z.output<typeof inputAudio>
  | z.output<typeof outputText>
  | z.output<typeof refusal>
  | z.output<typeof encryptedPart>;
type Content = string | Part[];

function contentOf(parts: readonly z.ZodObject[]): z.ZodType<Content> {
  const types = parts.map(({ shape }) => (shape['type'] as z.ZodLiteral<string>).value).join(', ');
  const part = z.discriminatedUnion('type', parts as unknown as [z.ZodObject], {
    error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${types}` : undefined),
  });
  const list = boundedList(part) as unknown as z.ZodType<Part[]>;
  return z.union([z.string(), list], { error: 'must be a text or a list of parts' });
}

export const instructionContent = optionalField(contentOf([inputText])).meta({
  description: 'The instructions, as a text or a list of parts.',
});
export const userContent = optionalField(contentOf([inputText, inputImage, inputFile, inputAudio])).meta({
  description: "The user's message: a text, or a list of parts.",
});
/** Some clients write assistant content in the form of user input, so that form is accepted too. */
export const assistantContent = optionalField(contentOf([outputText, refusal, inputText])).meta({
  description: "The model's answer: a text, or a list of parts.",
});
const outputParts = contentOf([inputText, inputImage, inputFile, encryptedPart]);
/** Result of a call. Older agents send an object, or null if the call has returned nothing. */
export const resultContent = optionalField(
  z.union([outputParts, z.record(z.string(), z.unknown())], { error: 'must be a text, a list of parts or an object' }),
);

/** Converts the result of a call to the content of a tool_result block. */
export function resultBlocks(output: z.output<typeof resultContent>): string | Block[] {
  if (output === null || output === undefined) return '';
  if (typeof output === 'string') {
    const parts = partsInText(output, outputParts, { text: 'input_text', image: 'input_image' });
    return parts === undefined ? output : contentBlocks(parts);
  }
  if (Array.isArray(output)) return contentBlocks(output);
  const { content } = output;
  return typeof content === 'string' ? content : resultBlocks(JSON.stringify(output));
}

/** Converts content to blocks. */
export function contentBlocks(content: Content | null | undefined): Block[] {
  if (!content) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((part) => (part.type === 'encrypted_content' ? [] : [partBlock(part)]));
}

function partBlock(part: Exclude<Part, z.output<typeof encryptedPart>>): Block {
  switch (part.type) {
    case 'input_text':
      return marked({ type: 'text', text: part.text }, part);
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'input_image':
      return marked(sentImage(part.image_url!, part.detail), part);
    case 'input_audio':
      return sentAudio(part);
    case 'input_file':
      return marked(
        detailed(sentDocument((part.file_data ?? part.file_url)!, part.filename ?? undefined), part.detail),
        part,
      );
  }
}
