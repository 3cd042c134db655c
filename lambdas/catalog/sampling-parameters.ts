/** Parameters that only tune an answer. Lists of models and requests use the same names for them. */

export const samplingParameters = ['temperature', 'top_p', 'top_k'] as const;
/** Penalties, for which the Messages API has no fields. */
export const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;
/** Other parameters of chat completions, which fewer models support. */
export const rareTunings = ['seed', 'min_p', 'top_a', 'logit_bias', 'verbosity'] as const;

export const tuningParameters = [...samplingParameters, ...penalties, ...rareTunings] as const;
export type TuningParameter = (typeof tuningParameters)[number];
