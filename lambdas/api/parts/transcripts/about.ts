/** Examples for the documentation of transcription routes. */

import { ok } from '../../../http/about.ts';
import { transcriptAnswer } from './shape.ts';

const data = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=';
export const transcriptionExample = { model: 'sandbox/scribe', input_audio: { data, format: 'wav' } };

const texts = {
  'text/plain': { schema: { type: 'string' as const, description: 'With `text`, `srt` and `vtt`: the text itself.' } },
};
export const transcriptSuccess = {
  ...ok('The transcript, in the requested format.', transcriptAnswer, {
    text: 'The parcel left our warehouse today.',
    usage: { type: 'duration', seconds: 3, cost: 0.03 },
  }),
  content: texts,
};
