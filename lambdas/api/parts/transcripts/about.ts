import { ok } from '../../../http/about.ts';
import { transcriptAnswer } from './shape.ts';

const data = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=';
export const transcriptionExample = { model: 'sandbox/scribe', input_audio: { data, format: 'wav' } };

const transcriptEventExamples = [
  { type: 'transcript.text.delta', delta: 'The parcel left' },
  {
    type: 'transcript.text.done',
    text: 'The parcel left',
    usage: { type: 'duration', seconds: 1, input_tokens: 0, output_tokens: 0, total_tokens: 0, cost: 0.01 },
  },
];
const transcriptContents = {
  'text/event-stream; charset=utf-8': {
    schema: { type: 'string' as const },
    example: transcriptEventExamples
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
    'x-events': {
      'transcript.text.delta': 'A part of the text, in `delta`.',
      'transcript.text.done': 'The end: the whole text, with its usage, and its cost in RUB if that is known.',
      error: 'The answer broke off; the body is that of every error.',
    },
  },
  'text/plain': { schema: { type: 'string' as const, description: 'With `text`, `srt` and `vtt`: the text itself.' } },
};
export const transcriptSuccess = {
  ...ok('The transcript, in the requested format.', transcriptAnswer, {
    text: 'The parcel left our warehouse today.',
    usage: { type: 'duration', seconds: 3, cost: 0.03 },
  }),
  content: transcriptContents,
};
