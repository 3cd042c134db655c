import { formBody } from '../../http/form-body.ts';
import { jsonResponse } from '../../http/response.ts';
import { transcriptUsage } from '../../inference/modalities/transcript-events.ts';
import { elevenlabsErrorMembers } from '../parts/elevenlabs-error.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import type { ConvertedRecordingAnswer } from '../parts/transcripts/shape.ts';
import { convertedRecordingForm, convertedRecordingModality } from './elevenlabs.ts';

export const { accepts, handler } = modalityEndpoint(
  'convert-recording',
  convertedRecordingModality,
  ({ body, result: { text, language, seconds, words, probabilities }, charged, cost }) =>
    jsonResponse<ConvertedRecordingAnswer>(200, {
      language_code: language ?? body.language_code ?? '',
      language_probability: probabilities?.language ?? 0,
      text,
      words: words.map(({ speaker, ...word }, at) => ({
        ...word,
        type: 'word',
        ...(speaker === undefined ? {} : { speaker_id: speaker }),
        logprob: probabilities?.words[at] ?? 0,
      })),
      ...(seconds === undefined ? {} : { audio_duration_secs: seconds }),
      usage: transcriptUsage(charged, cost),
    }),
  { form: formBody(convertedRecordingForm), errorMembers: elevenlabsErrorMembers },
);
