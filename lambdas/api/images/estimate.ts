import { imagesModality } from '../../inference/modalities/images.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-image', imagesModality);
