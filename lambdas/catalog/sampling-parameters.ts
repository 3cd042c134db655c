/** Parameters that only tune an answer. Lists of models and requests use the same names. */

export const samplingParameters = ['temperature', 'top_p', 'top_k'] as const;
/** Penalties. Most models have them, except on the wire of the Messages API. */
export const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;
/** Further fields of chat completions, which few models have. */
export const rareTunings = ['seed', 'min_p', 'top_a', 'logit_bias', 'verbosity'] as const;

export const tuningParameters = [...samplingParameters, ...penalties, ...rareTunings] as const;
export type TuningParameter = (typeof tuningParameters)[number];
