import { invalidRequest } from '../../platform/errors.ts';
import { audioMediaTypes, type AudioFormat } from '../../messages/audio.ts';
import type { Block } from '../../messages/types.ts';
import { inlineAudio } from '../translated/audio.ts';
import { aboutFile, readDocument, unreadableDocument } from '../translated/documents.ts';
import type { GeminiPart } from './parts.ts';
import type { GeminiTarget } from './target.ts';

/** Types of inline images that are sent to Gemini. It does not accept GIF. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']);
const PDF = 'application/pdf';
/** Media types of audio, as Google's documentation writes them (https://ai.google.dev/gemini-api/docs/audio). */
const geminiAudioTypes: Record<AudioFormat, string> = { ...audioMediaTypes, mp3: 'audio/mp3' };
/**
 * Media types of images, by the ending of their URL. Gemini requires the media type of an image at a URL, which the
 * Messages API does not have.
 */
const typesByEnding: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  bmp: 'image/bmp',
  heic: 'image/heic',
  heif: 'image/heif',
};

/**
 * Converts an image block.
 * @throws {GatewayError} 400 for a file id, a URL without https, or an image type that is unknown or not accepted
 */
export function imagePart(block: Block, path: string): GeminiPart {
  const source = block['source'] as { type: string; media_type: string; data: string; url: string };
  if (source.type === 'base64') {
    if (IMAGE_TYPES.has(source.media_type)) return inline(source.media_type, source.data);
    throw invalidRequest(
      `${path}.source.media_type`,
      `must be one of ${[...IMAGE_TYPES].join(', ')} on this model; convert the image`,
    );
  }
  if (source.type === 'url') return atAddress(source.url, imageTypeOf(source.url, path), path);
  throw invalidRequest(
    `${path}.source.type`,
    'file ids only work on Anthropic models; send the image as base64 or url',
  );
}

/**
 * Converts a document block.
 * @throws {GatewayError} 400 for a file id, a URL without https, or a feature that only Claude models support
 */
export function geminiDocumentParts(block: Block, path: string): GeminiPart[] {
  const document = readDocument(block, path);
  if (document.text !== undefined) return [{ text: document.text }];
  const { source } = document;
  if (source.type === 'file') throw unreadableDocument(source.type, path);
  const file = source.type === 'base64' ? inline(PDF, source.data) : atAddress(source.url, PDF, path);
  const about = aboutFile(block, false);
  return about === '' ? [file] : [{ text: about }, file];
}

/**
 * Converts an audio block.
 * @throws {GatewayError} 400 if the endpoint lists its modalities without audio
 */
export function audioPart(block: Block, path: string, target: GeminiTarget): GeminiPart {
  const { format, data } = inlineAudio(block, path, target);
  return inline(geminiAudioTypes[format], data);
}

function inline(mimeType: string, data: string): GeminiPart {
  return { inlineData: { mimeType, data } };
}

function imageTypeOf(url: string, path: string): string {
  const ending = /\.([a-z]+)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '';
  const type = Object.hasOwn(typesByEnding, ending) ? typesByEnding[ending] : undefined;
  if (type) return type;
  throw invalidRequest(
    `${path}.source.url`,
    `must end in ${Object.keys(typesByEnding).join(', ')} on this model, which reads the type of an image from its URL; send the image as base64`,
  );
}

/**
 * Returns the part for a file at a URL.
 * @throws {GatewayError} 400 for a URL without https, which Google does not fetch
 *   (https://ai.google.dev/gemini-api/docs/file-input-methods)
 */
function atAddress(fileUri: string, mimeType: string, path: string): GeminiPart {
  if (fileUri.startsWith('https://')) return { fileData: { mimeType, fileUri } };
  throw invalidRequest(`${path}.source.url`, 'must be an https URL on this model; send the content as base64');
}
