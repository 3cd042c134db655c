import { elevenlabsErrorMembers } from '../parts/elevenlabs-error.ts';
import { forwardingEndpoint } from '../parts/modality-endpoint.ts';
import { convertedTextModality } from './elevenlabs.ts';

export const { accepts, handler } = forwardingEndpoint('convert-text', convertedTextModality, {
  errorMembers: elevenlabsErrorMembers,
});
