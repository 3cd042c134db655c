import { oneModalityEndpoint } from './one-modality.ts';

export const { accepts, handler } = oneModalityEndpoint('list-transcriptions-models', 'transcription');
