import { formBody } from '../../http/form-body.ts';
import { transcriptionForm } from '../../inference/modalities/transcription-schema.ts';
import { transcriptionModality } from '../../inference/modalities/transcription.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import { transcriptResponse } from '../parts/transcript-response.ts';

export const { accepts, handler } = modalityEndpoint(
  'create-transcription',
  transcriptionModality,
  transcriptResponse('transcribe'),
  {
    form: formBody(transcriptionForm),
  },
);
