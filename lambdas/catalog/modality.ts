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

/**
 * Returns whether a model's output is only text. Other models may generate images or audio, which few client APIs
 * support.
 */
export function makesOnlyText(outputs: readonly Modality[]): boolean {
  return outputs.every((modality) => modality === 'text');
}
