import { formBody } from '../../http/form-body.ts';
import { transcriptionForm } from '../../inference/modalities/transcription-schema.ts';
import { translationModality } from '../../inference/modalities/transcription.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-translation', translationModality, {
  form: formBody(transcriptionForm),
});
