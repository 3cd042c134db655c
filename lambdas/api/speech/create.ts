import { speechModality } from '../../inference/modalities/speech.ts';
import { forwardingEndpoint } from '../parts/modality-endpoint.ts';

export const { accepts, handler } = forwardingEndpoint('create-speech', speechModality);
