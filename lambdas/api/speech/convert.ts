import { convertedTextModality } from '../../inference/modalities/speech.ts';
import { elevenlabsErrorMembers } from '../parts/elevenlabs-error.ts';
import { forwardingEndpoint } from '../parts/modality-endpoint.ts';

export const { accepts, handler } = forwardingEndpoint('convert-text', convertedTextModality, {
  errorMembers: elevenlabsErrorMembers,
});
