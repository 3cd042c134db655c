import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { audioFormats, audioMediaTypes } from '../messages/audio.ts';
import { base64, optionalField, sourceUrl } from '../messages/field-kinds.ts';
import { imageTypeByBytes } from '../messages/image-types.ts';
import { DETAIL, type Block } from '../messages/types.ts';
import { BASE64_RULE, isBase64 } from '../platform/base64.ts';
import { readDataUrl } from '../platform/data-url.ts';

/** Media types of images, by the names that clients use. */
const imageTypes = new Map([
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/png', 'image/png'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
  ['image/heic', 'image/heic'],
  ['image/heif', 'image/heif'],
]);
const PDF = 'application/pdf';
/** Matches types of texts, such as `text/x-python` (https://developers.openai.com/api/docs/guides/file-inputs). */
const TEXT_DOCUMENT =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|x?html|xml|(?:x-)?yaml|(?:x-)?(?:java|type)script|x-sh|sql|toml|x-ndjson))$/;

const IMAGE_RULE =
  'must be an http(s) URL, or a data URL of image/jpeg, image/png, image/gif, image/webp, image/heic, image/heif or application/pdf in base64';
const NO_FILE_IDS = 'is not supported, because this gateway stores no files; send file_data';
const DOCUMENT_RULE =
  'must be an http(s) URL, or a data URL of application/pdf, application/json or a text (text/plain, text/csv, text/x-python …) in base64';

function isReadableDocument(mediaType: string): boolean {
  return mediaType === PDF || TEXT_DOCUMENT.test(mediaType);
}

/**
 * Returns the media type of an image. If a data URL has none or an unusual one, such as `application/octet-stream`, the
 * bytes determine the type (https://github.com/openclaw/openclaw/pull/111276).
 */
function imageTypeIn(declared: string, data: string): string | undefined {
  return imageTypes.get(declared) ?? imageTypeByBytes(data);
}

/**
 * URL or data URL of an image. Some clients send PDFs in this form (https://github.com/Portkey-AI/gateway/issues/827).
 */
export const imageAddress = addressOf(
  (type, data) => type === PDF || imageTypeIn(type, data) !== undefined,
  IMAGE_RULE,
);
/** URL or data URL of a document. */
export const documentAddress = addressOf(isReadableDocument, DOCUMENT_RULE);

type IsTaken = (mediaType: string, data: string) => boolean;

function addressOf(isTaken: IsTaken, rule: string) {
  return z.string().superRefine((text, context) => {
    const message = addressFault(text, isTaken, rule);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function addressFault(text: string, isTaken: IsTaken, rule: string): string | undefined {
  const data = readDataUrl(text);
  if (!data) return sourceUrl.safeParse(text).success ? undefined : rule;
  if (!isTaken(data.mediaType, data.base64) || data.base64 === '') return rule;
  if (!isBase64(data.base64)) return `its data ${BASE64_RULE}`;
  const isUnreadable = TEXT_DOCUMENT.test(data.mediaType) && !isUtf8(Buffer.from(data.base64, 'base64'));
  return isUnreadable ? 'its text must be UTF-8' : undefined;
}

/** URL or data URL of a document, in place of the id of a file. */
export const documentAsFileId = addressOf(isReadableDocument, NO_FILE_IDS);

/** How closely the model looks at an image. Only some models have `original`, so they get their default instead. */
export const imageDetail = optionalField(z.enum(['auto', 'low', 'high', 'original'])).meta({
  description:
    'How closely the model looks at the image. Models of OpenAI get `low` and `high`; they cost different amounts.',
});

/** Converts an address that `imageAddress` accepts to a block. */
export function sentImage(address: string, detail?: z.output<typeof imageDetail>): Block {
  const data = readDataUrl(address);
  if (data?.mediaType === PDF) return sentDocument(address, undefined);
  const source = data
    ? { type: 'base64', media_type: imageTypeIn(data.mediaType, data.base64), data: data.base64 }
    : { type: 'url', url: address };
  return detailed({ type: 'image', source }, detail);
}

/** How closely the model looks at the pages of a document. */
export const fileDetail = optionalField(z.enum(['auto', 'low', 'high'])).meta({
  description:
    'How closely the model looks at the pages. Models of OpenAI get `low` and `high`; they cost different amounts.',
});

export function detailed(block: Block, detail: z.output<typeof imageDetail>): Block {
  return detail === 'low' || detail === 'high' ? { ...block, [DETAIL]: detail } : block;
}

/** Converts a document's address, which a schema above accepts, to a block. */
export function sentDocument(address: string, name: string | undefined): Block {
  const title = name === undefined || name === '' ? {} : { title: name };
  const data = readDataUrl(address);
  if (!data) return { type: 'document', source: { type: 'url', url: address }, ...title };
  if (data.mediaType === PDF) {
    return { type: 'document', source: { type: 'base64', media_type: PDF, data: data.base64 }, ...title };
  }
  const text = Buffer.from(data.base64, 'base64').toString('utf8');
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...title };
}

/** Schema of a part with audio, which is the same in both of OpenAI's APIs. */
export const inputAudio = z.object({
  type: z.literal('input_audio'),
  input_audio: z
    .object({
      data: base64.meta({ description: 'The bytes of the recording, in base64.' }),
      format: z.enum(audioFormats).meta({ description: 'The format of the recording.' }),
    })
    .meta({ description: 'A recording; models with `audio` in their `input_modalities` take it.' }),
});

/** Converts audio to a block. */
export function sentAudio({ input_audio: { data, format } }: z.output<typeof inputAudio>): Block {
  return { type: 'audio', source: { type: 'base64', media_type: audioMediaTypes[format], data } };
}
