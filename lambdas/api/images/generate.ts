import { imageGenerationsModality } from '../../inference/modalities/images.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import { imagesForOpenai } from './view.ts';

export const { accepts, handler } = modalityEndpoint('generate-image', imageGenerationsModality, imagesForOpenai);
