import { imagesModality } from '../../inference/modalities/images.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import { drawnImages } from './view.ts';

export const { accepts, handler } = modalityEndpoint('create-image', imagesModality, drawnImages);
