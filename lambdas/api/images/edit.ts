import { imageEditsModality } from '../../inference/modalities/images.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import { imagesForOpenai } from './view.ts';

export const { accepts, handler } = modalityEndpoint('edit-image', imageEditsModality, imagesForOpenai);
