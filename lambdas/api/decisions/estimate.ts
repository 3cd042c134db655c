import { decisionsModality } from '../../inference/modalities/decisions.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-decision', decisionsModality);
