import { ok, providerErrors, tagged } from '../../http/about.ts';
import type { ModalityTexts } from '../parts/about.ts';
import { transcriptionExample, transcriptSuccess } from '../parts/transcripts/about.ts';
import { convertedRecordingAnswer } from '../parts/transcripts/shape.ts';

export const about: ModalityTexts = {
  summary: 'Transcribe a recording',
  description:
    'Writes down what is said in a recording. Send the recording as a file of a form (`multipart/form-data`, of about 4.5 MB, or 25 MB at a server), in base64 in JSON, or as an https address. The formats are wav, mp3, flac, m4a, ogg, webm and aac.',
  bodyExample: transcriptionExample,
  answer: transcriptSuccess,
  estimateSummary: 'Estimate a transcript',
  list: {
    summary: 'List transcription models',
    models: 'The models that transcribe recordings.',
    example: {
      id: 'openai/gpt-transcribe',
      object: 'model',
      owned_by: 'openai',
      canonical_slug: 'openai/gpt-transcribe-20261001',
      name: 'GPT Transcribe',
      created: 1_790_812_800,
      icon_id: 'openai',
      context_length: 16_000,
      architecture: {
        input_modalities: ['audio'],
        output_modalities: ['transcription'],
        modality: 'audio->transcription',
        tokenizer: 'Other',
        instruct_type: null,
      },
      pricing: { prompt: '0', completion: '0', audio_second: '0.007425' },
      top_provider: { context_length: 16_000, max_completion_tokens: null, is_moderated: false },
      supported_parameters: ['language', 'languages', 'prompt', 'keywords'],
    },
  },
};

export const recordingConversion = tagged('Inference', {
  'convert-recording': {
    chargedOnce: true,
    summary: 'Transcribe a recording, in ElevenLabs’ shape',
    description:
      'The same as `POST /audio/transcriptions`, for clients of ElevenLabs’ API, which may send the key as `xi-api-key`. If the answer has no `usage.cost` yet, `GET /generation` has the cost a little later.',
    bodyExample: { model_id: 'sandbox/scribe', source_url: 'https://example.com/parcel.wav' },
    success: ok('The transcript, in the form of ElevenLabs’ API.', convertedRecordingAnswer, {
      language_code: 'english',
      language_probability: 0,
      text: 'The parcel left',
      words: [
        { text: 'The', start: 0, end: 0.5, type: 'word', logprob: 0 },
        { text: 'parcel', start: 0.5, end: 1, type: 'word', logprob: 0 },
        { text: 'left', start: 1, end: 1.5, type: 'word', logprob: 0 },
      ],
      audio_duration_secs: 1.5,
      usage: { type: 'duration', seconds: 2, cost: 0.02 },
    }),
    errors: [...providerErrors, 'payment_required'],
  },
});
