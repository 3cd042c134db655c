import { embeddingsModality } from '../../inference/modalities/embeddings.ts';
import { modalityEstimate } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = modalityEstimate('estimate-embeddings', embeddingsModality);
