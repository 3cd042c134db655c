import type { ModalityTexts } from '../parts/about.ts';
import { transcriptionExample, transcriptSuccess } from '../parts/transcripts/about.ts';

export const about: ModalityTexts = {
  summary: 'Translate a recording',
  description:
    'Writes down in English what is said in a recording, in any language. The body and the answer are those of `POST /audio/transcriptions`. Only models that list `translations` are asked.',
  bodyExample: transcriptionExample,
  answer: transcriptSuccess,
  estimateSummary: 'Estimate a translation',
};
