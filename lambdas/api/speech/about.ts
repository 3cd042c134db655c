import * as z from 'zod';
import { ok, providerErrors, tagged } from '../../http/about.ts';
import type { ModalityTexts } from '../parts/about.ts';

const speechExample = { model: 'sandbox/speaker', input: 'Your parcel left our warehouse today.', voice: 'alto' };
const sound = { schema: { type: 'string', format: 'binary' } };
const commonSounds = {
  'audio/mpeg': sound,
  'audio/ogg': sound,
  'audio/wav': sound,
  'audio/pcm': sound,
};
const speechEvents = [
  'event: speech.audio.delta\ndata: {"type":"speech.audio.delta","audio":"//uQxAAA"}',
  'event: speech.audio.done\ndata: {"type":"speech.audio.done","usage":{"characters":37,"input_tokens":0,"output_tokens":0,"total_tokens":0,"cost":0.0555}}',
];

export const about: ModalityTexts = {
  summary: 'Speak a text',
  description:
    'Returns the sound of a text while the provider sends it, as bytes of the requested format, or as events with `stream_format: "sse"`. Errors before the first byte have their own status and are free. Later only the connection is closed, or an event `error` is sent; the speech is then charged.',
  bodyExample: speechExample,
  answer: {
    ...ok('The sound, or events with parts of it. The header `x-generation-id` has the id of its record.', z.string()),
    content: {
      ...commonSounds,
      'audio/aac': sound,
      'audio/flac': sound,
      'text/event-stream; charset=utf-8': {
        schema: { type: 'string' },
        example: `${speechEvents.join('\n\n')}\n\n`,
        'x-events': {
          'speech.audio.delta': 'A part of the sound in base64, in `audio`.',
          'speech.audio.done': 'The end of the speech, with its usage, and its cost in RUB if that is known.',
          error: 'The answer broke off; the body is that of every error.',
        },
      },
    },
  },
  estimateSummary: 'Estimate a speech',
};

export const textConversion = tagged('Inference', {
  'convert-text': {
    chargedOnce: true,
    summary: 'Speak a text, in ElevenLabs’ shape',
    description:
      'The same as `POST /audio/speech`, for clients of ElevenLabs’ API, which may send the key as `xi-api-key`. Fields that only some models take are left out elsewhere, and `x-gateway-left-out` names them.',
    bodyExample: { text: speechExample.input, model_id: speechExample.model },
    success: {
      ...ok('The sound. The header `x-generation-id` has the id of its record.', z.string()),
      content: commonSounds,
    },
    errors: [...providerErrors, 'payment_required'],
  },
});
