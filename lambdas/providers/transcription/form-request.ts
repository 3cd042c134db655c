import { randomBytes } from 'node:crypto';
import type { WireRequest } from '../wire.ts';
import type { Recording } from './codec.ts';
import { fileExtensionOf, recordingMediaType } from './formats.ts';

type FormField = readonly [name: string, value: string | number | boolean];

/**
 * Returns a form with the recording as its last part, under a fixed file name: the client's file name may be sensitive.
 */
export function formRequest(
  path: string,
  fields: readonly (FormField | false | undefined)[],
  { bytes, format }: Pick<Recording, 'bytes' | 'format'>,
): WireRequest<Buffer> {
  const boundary = `form-${randomBytes(16).toString('hex')}`;
  const texts = fields
    .filter((field): field is FormField => Array.isArray(field))
    .map(([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="recording.${fileExtensionOf(format)}"\r\ncontent-type: ${recordingMediaType(format)}\r\n\r\n`;
  return {
    path,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(texts.join('') + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
