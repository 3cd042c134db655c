import { formBody } from '../../http/form-body.ts';
import { imageEditsModality } from '../../inference/modalities/images.ts';
import { imageEditForm } from '../../inference/modalities/images-schema.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-image-edit', imageEditsModality, {
  form: formBody(imageEditForm),
});
