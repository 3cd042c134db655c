/** Parameters that only tune an answer, by their names in lists of models and in requests. */

export const samplingParameters = ['temperature', 'top_p', 'top_k'] as const;
/** Not in the Messages API, but most models on other wires have them. */
export const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;
/** Fields of chat completions that few models have. */
export const rareTunings = ['seed', 'min_p', 'top_a', 'logit_bias', 'verbosity'] as const;

export const tuningParameters = [...samplingParameters, ...penalties, ...rareTunings] as const;
export type TuningParameter = (typeof tuningParameters)[number];
