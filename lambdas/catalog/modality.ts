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

/** Returns whether a model answers in text alone. Other models may draw or speak, which few client APIs can show. */
export function makesOnlyText(outputs: readonly Modality[]): boolean {
  return outputs.every((modality) => modality === 'text');
}
