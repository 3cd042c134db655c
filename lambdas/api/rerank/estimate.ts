import { rerankModality } from '../../inference/modalities/rerank.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-rerank', rerankModality);
