/** Kinds of requests, as records and GET /generation name them. Each wire answers one kind. */
export const apiTypes = ['completions', 'decisions', 'video', 'embeddings'] as const;
export type ApiType = (typeof apiTypes)[number];
