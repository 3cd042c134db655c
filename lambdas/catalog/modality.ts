/** Output modalities of models. */
export const modalities = [
  'text',
  'image',
  'video',
  'speech',
  'transcription',
  'embeddings',
  'rerank',
  'decisions',
  'audio',
] as const;
export type Modality = (typeof modalities)[number];
