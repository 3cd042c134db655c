/** Parameters that only tune an answer. Models list them, and requests set them, with the same names. */

export const samplingParameters = ['temperature', 'top_p', 'top_k'] as const;
/** Penalties. Many models support penalties, but the Messages API has no fields for them. */
export const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;
/** Other fields of chat completions, which fewer models support. */
export const rareTunings = ['seed', 'min_p', 'top_a', 'logit_bias', 'verbosity'] as const;

export const tuningParameters = [...samplingParameters, ...penalties, ...rareTunings] as const;
export type TuningParameter = (typeof tuningParameters)[number];
