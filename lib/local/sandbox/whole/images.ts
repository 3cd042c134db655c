/** Images of the sandbox: PNGs whose single color depends on the prompt, and one JPEG. */

import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { parseDirectiveLine, readDirectives } from '../directives.ts';
import { openaiRefusal } from '../openai-refusal.ts';
import { requestedFailure, type SandboxAnswer } from '../whole-answers.ts';

interface PaintRequest {
  model: string;
  prompt: string;
  n: number;
  size?: string;
  quality?: string;
  output_format?: string;
  images?: { image_url: string }[];
  stream?: boolean;
  partial_images?: number;
}

const DEFAULT_SIDE = 1_024;
const CHARACTERS_PER_PROMPT_TOKEN = 4;
const PICTURE_TOKENS = 194;
const TOKENS_OF_PARTIAL = 100;
/** Tokens of an image by quality, as OpenAI bills them. */
const tokensOfQuality: Record<string, number> = { low: 272, medium: 1_056, high: 4_160 };
const ABSURD_TOKENS = 1_000_000_000;
const NOT_AN_IMAGE = Buffer.from('<html>not an image</html>').toString('base64');
const DATA_URL = /^data:image\/(png|jpeg|webp);base64,/;

export const wholeAnswers = { '/openai/v1/images/generations': paint, '/openai/v1/images/edits': repaint };

function repaint(request: PaintRequest): SandboxAnswer {
  const { images = [] } = request;
  if (images.length === 0 || !images.every(({ image_url }) => DATA_URL.test(image_url))) {
    return { status: 400, body: openaiRefusal(400, "'images' must have data URLs: the sandbox fetches nothing.") };
  }
  return paint(request, 'image_edit');
}

function paint(request: PaintRequest, route = 'image_generation'): SandboxAnswer {
  const { prompt, n, output_format: format = 'png' } = request;
  const directives = readDirectives(prompt);
  if (directives.error !== undefined) return requestedFailure(directives.error);
  if (directives.refuse) return { status: 400, body: moderationRefusal };
  const [width = DEFAULT_SIDE, height = DEFAULT_SIDE] = request.size?.split('x').map(Number) ?? [];
  const draw = (index: number) =>
    format === 'jpeg' ? JPEG : pngOf({ width, height }, colorOf(`${prompt}${index}`)).toString('base64');
  const data = Array.from({ length: n }, (_, index) => ({ b64_json: draw(index) }));
  if (directives.garbageAt !== undefined) data[0]!.b64_json = NOT_AN_IMAGE;
  const drawn = directives.nullAt === undefined ? data : [];
  const reported = parseDirectiveLine(prompt).valueOf('usage');
  const usage = reported === 'none' ? {} : { usage: usageOf(request, reported === 'absurd') };
  if (request.stream) {
    const partial = (_: unknown, at: number) => ({
      type: `${route}.partial_image`,
      partial_image_index: at,
      b64_json: draw(at + 1),
    });
    const partials = Array.from({ length: request.partial_images ?? 0 }, partial);
    const sent: { type: string }[] = [...partials, { type: `${route}.completed`, ...drawn[0], ...usage }];
    if (directives.failAt !== undefined)
      sent.splice(directives.failAt, sent.length, { type: 'error', ...streamFailure });
    const pieces = sent.map((event) => Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
    return { status: 200, body: {}, delivery: directives, contentType: 'text/event-stream', pieces };
  }
  return {
    status: 200,
    body: { created: Math.floor(Date.now() / 1_000), data: drawn, ...usage },
    delivery: directives,
  };
}

const streamFailure = {
  error: { message: 'The sandbox was asked to fail.', type: 'server_error', param: null, code: 'server_error' },
};

const moderationRefusal = {
  error: {
    message: 'Your request was rejected by the safety system.',
    type: 'image_generation_user_error',
    param: null,
    code: 'moderation_blocked',
  },
};

function usageOf(
  { prompt, n, quality = 'high', images = [], partial_images: partials = 0 }: PaintRequest,
  isAbsurd: boolean,
): object {
  const text_tokens = Math.ceil(prompt.length / CHARACTERS_PER_PROMPT_TOKEN);
  const image_tokens = images.length * PICTURE_TOKENS;
  const drawnTokens = n * (tokensOfQuality[quality] ?? tokensOfQuality['high']!);
  const output_tokens = isAbsurd ? ABSURD_TOKENS : drawnTokens + partials * TOKENS_OF_PARTIAL;
  const input_tokens = text_tokens + image_tokens;
  return {
    input_tokens,
    input_tokens_details: { text_tokens, image_tokens },
    output_tokens,
    output_tokens_details: { text_tokens: 0, image_tokens: output_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}

type Color = readonly [red: number, green: number, blue: number];

function colorOf(text: string): Color {
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(text).digest();
  return [red, green, blue];
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const BITS_PER_SAMPLE = 8;
const TRUE_COLOR = 2;

function pngOf({ width, height }: { width: number; height: number }, color: Color): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS_PER_SAMPLE, TRUE_COLOR], 8);
  // Each row begins with the number of its filter: 0 means no filter.
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * color.length, Buffer.from(color))]);
  const pixels = deflateSync(Buffer.alloc(row.length * height, row));
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]);
}

function pngChunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** JPEG of 48 × 48 pixels: a yellow square on blue. */
const JPEG = [
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
  'CAgICAgICAgICAgICAj/wAARCAAwADADAREAAhEAAxEA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAFBABAAAA',
  'AAAAAAAAAAAAAAAAAP/aAAwDAQACAAMAAD8AznZOaAAAAAAAAAervCnoYAAAAeUPdXngAervCnoYAAAAeUPdXngAervCnoYAAAAe',
  'UPdXngAervCnoYAAAAeUPdXngAAAAAAAAD//2Q==',
].join('');
