import { formBody } from '../../http/form-body.ts';
import { imageEditsModality } from '../../inference/modalities/images.ts';
import { imageEditForm } from '../../inference/modalities/images-schema.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import { imagesForOpenai } from './view.ts';

export const { accepts, handler } = modalityEndpoint('edit-image', imageEditsModality, imagesForOpenai, {
  form: formBody(imageEditForm),
});
