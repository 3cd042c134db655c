/** Rows of the manifest (routes.ts) for modalities, and settings that several routes share. */

import type { ModalityRow } from './route.ts';

/** Longest timeout in seconds of API functions that do not stream. API Gateway ends their requests after 29 seconds. */
export const WITHIN_INTEGRATION_SECONDS = 27;

/**
 * Settings of functions that draw images. The timeout is shorter than the five minutes after which API Gateway, and
 * Node's `fetch`, close a silent connection. Weakness: Azure's load balancers close it after four minutes, so a client
 * behind them may lose a slower answer.
 */
export const drawing = { streaming: true, callsBedrock: true, timeoutSeconds: 290, memoryMb: 2048 } as const;

export const wholeModalities = {
  decisions: {
    one: 'decision',
    paths: ['/decisions', '/systemone'],
    isListed: false,
    answering: { timeoutSeconds: WITHIN_INTEGRATION_SECONDS, memoryMb: 1024 },
  },
  embeddings: {
    one: 'embeddings',
    paths: ['/embeddings'],
    isListed: true,
    // The vectors of two thousand texts are too large for an answer without streaming.
    answering: { streaming: true, callsBedrock: true, timeoutSeconds: 120, memoryMb: 1024 },
  },
  rerank: {
    one: 'rerank',
    paths: ['/rerank'],
    isListed: true,
    // An answer may repeat the documents of the request, so that it is too large without streaming.
    answering: { streaming: true, callsBedrock: true, timeoutSeconds: 120, memoryMb: 512 },
  },
  transcriptions: {
    one: 'transcription',
    paths: ['/audio/transcriptions'],
    isListed: true,
    // A provider may take minutes for a recording of an hour. An answer must begin within 285 seconds (run-batch.ts).
    answering: { streaming: true, takesFiles: true, timeoutSeconds: 600, memoryMb: 1024 },
  },
  translations: {
    one: 'translation',
    paths: ['/audio/translations'],
    isListed: false,
    answering: { streaming: true, takesFiles: true, timeoutSeconds: 600, memoryMb: 1024 },
  },
  images: { one: 'image', paths: ['/images'], isListed: false, answering: drawing },
  speech: {
    one: 'speech',
    paths: ['/audio/speech'],
    isListed: false,
    answering: { streaming: true, timeoutSeconds: 900, memoryMb: 512 },
  },
} as const satisfies Record<string, ModalityRow>;
