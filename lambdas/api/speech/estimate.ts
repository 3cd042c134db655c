import { speechModality } from '../../inference/modalities/speech.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-speech', speechModality);
