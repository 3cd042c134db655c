/** Content parts of the Chat Completions API, and their conversion to blocks. */

import * as z from 'zod';
import { anyObject, optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import type { Block } from '../../messages/types.ts';
import { cacheMarks, marked } from '../cache-marks.ts';
import {
  documentAddress,
  documentAsFileId,
  imageAddress,
  imageDetail,
  inputAudio,
  sentAudio,
  sentDocument,
  sentImage,
} from '../media.ts';

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
        detail: imageDetail,
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
      // Some clients of LiteLLM send the document's address as a file id
      // (https://github.com/BerriAI/litellm/issues/12384).
      file_id: optionalField(documentAsFileId).meta({
        description: 'The same as `file_data`. Ids are refused, because this gateway keeps no files.',
      }),
    })
    .refine((file) => (file.file_data ?? file.file_id) != null, {
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
type ResultPart = TextPart | z.output<typeof imagePart> | z.output<typeof blockImage> | z.output<typeof filePart>;
type UserPart = ResultPart | z.output<typeof inputAudio> | z.output<typeof blockResult>;
type AssistantPart =
  | TextPart
  | z.output<typeof refusalPart>
  | z.output<typeof blockCall>
  | z.output<typeof blockThinking>
  | z.output<typeof blockEncrypted>
  | z.output<typeof keptReasoning>;

export const systemParts = [textPart] as const;

/**
 * Image in the form of the Messages API. Cursor sends blocks of that API to this API for models of Anthropic
 * (https://github.com/router-for-me/CLIProxyAPI/issues/3805).
 */
const blockImage = z.object({
  type: z.literal('image'),
  source: z
    .object({
      media_type: optionalField(z.string()).meta({ description: 'The media type of `data`.' }),
      data: optionalField(z.string()).meta({ description: 'The bytes of the image, in base64.' }),
      url: optionalField(z.string()).meta({ description: 'The URL of the image, instead of `data`.' }),
    })
    .superRefine((source, context) => {
      const { error } = imageAddress.safeParse(addressOf(source));
      if (error) context.addIssue({ code: 'custom', message: error.issues[0]!.message });
    })
    .meta({ description: 'The bytes of the image, or its URL.' }),
  ...cacheMarks,
});

function addressOf({
  url,
  media_type: type,
  data,
}: { [_ in 'url' | 'media_type' | 'data']?: string | null | undefined }) {
  return url ?? `data:${type};base64,${data}`;
}

export const toolResultParts = [textPart, imagePart, blockImage, filePart] as const;

const blockCall = z.object({
  type: z.literal('tool_use'),
  id: z.string().min(1).meta({ description: 'The id of the call; its result refers to it.' }),
  name: z.string().min(1).meta({ description: 'The name of the tool that the model has called.' }),
  input: anyObject.meta({ description: 'The arguments of the call.' }),
  ...cacheMarks,
});
const blockResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1).meta({ description: 'The id of the call that this is the result of.' }),
  content: optionalField(z.union([z.string(), boundedList(z.discriminatedUnion('type', toolResultParts))])).meta({
    description: 'The result of the call: a text, or a list of parts.',
  }),
  is_error: optionalField(z.boolean()).meta({ description: 'With true the call has failed.' }),
  ...cacheMarks,
});
/** Thinking as a text, as in the Messages API, or as a list of texts, as in Mistral's API. */
const blockThinking = z.object({
  type: z.literal('thinking'),
  thinking: z
    .union([
      z.string(),
      boundedList(
        z.object({ type: z.literal('text'), text: z.string().meta({ description: 'A text of the thinking.' }) }),
      ),
    ])
    .meta({ description: 'The thinking of the model, as a text or a list of texts.' }),
  signature: optionalField(z.string()).meta({ description: 'The signature of the thinking; send it back unchanged.' }),
});
const blockEncrypted = z.object({
  type: z.literal('redacted_thinking'),
  data: z.string().meta({ description: 'Encrypted thinking; send it back unchanged.' }),
});

/** Thinking that LangChain keeps in its messages (https://github.com/langchain-ai/langchainjs/pull/11175). */
const keptReasoning = z.object({
  type: z.literal('reasoning'),
  reasoning: optionalField(z.string()).meta({ description: 'The thinking of the model, as a text.' }),
});

export const userParts = [textPart, imagePart, blockImage, filePart, inputAudio, blockResult] as const;
export const assistantParts = [textPart, refusalPart, blockCall, blockThinking, blockEncrypted, keptReasoning] as const;

/** Converts a part to a block. */
export function partBlock(part: UserPart | AssistantPart): Block {
  switch (part.type) {
    case 'text':
      return marked({ type: 'text', text: part.text }, part);
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'file':
      return marked(sentDocument((part.file.file_data ?? part.file.file_id)!, part.file.filename ?? undefined), part);
    case 'input_audio':
      return sentAudio(part);
    case 'tool_use':
      return marked({ type: part.type, id: part.id, name: part.name, input: part.input }, part);
    case 'tool_result':
      return marked(resultBlock(part), part);
    case 'thinking': {
      const { thinking, signature } = part;
      const text = typeof thinking === 'string' ? thinking : thinking.map((one) => one.text).join('');
      return { type: 'thinking', thinking: text, signature: signature ?? '' };
    }
    case 'reasoning':
      return { type: 'thinking', thinking: part.reasoning ?? '', signature: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: part.data };
    case 'image':
      return marked(sentImage(addressOf(part.source)), part);
    case 'image_url':
      return marked(
        typeof part.image_url === 'string'
          ? sentImage(part.image_url)
          : sentImage(part.image_url.url, part.image_url.detail),
        part,
      );
  }
}

function resultBlock({ tool_use_id: id, content, is_error: failed }: z.output<typeof blockResult>): Block {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: typeof content === 'string' ? content : (content ?? []).map(partBlock),
    ...(failed ? { is_error: true } : {}),
  };
}
