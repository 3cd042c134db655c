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

/** Whether a model's output is only text. */
export function makesOnlyText(outputs: readonly Modality[]): boolean {
  return outputs.every((modality) => modality === 'text');
}
