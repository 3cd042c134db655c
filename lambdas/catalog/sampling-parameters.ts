/** Parameters of sampling, by the names that models list them under and requests send them under. */

export const samplingParameters = ['temperature', 'top_p', 'top_k'] as const;
/** Not in the Messages API, but most models on other wires have them. */
export const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;
