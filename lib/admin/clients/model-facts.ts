import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { ModelNames } from '../../../lambdas/catalog/model-names.ts';
import type { InputModality } from '../../../lambdas/catalog/wires.ts';

export interface ModelFacts {
  contextTokens: number;
  maxOutputTokens: number;
  inputModalities: readonly InputModality[];
}

/**
 * Returns facts about a model, read from catalog files: a built catalog would omit models whose providers have no URL
 * here.
 * @param name id, alias, or another known name
 * @returns undefined if the model or one of its limits is unknown
 */
export function modelFacts({ models, aliases }: CatalogFiles, name: string): ModelFacts | undefined {
  const id = aliases.find(({ alias }) => alias === name)?.target ?? name;
  const model = models.find((one) => one.id === id) ?? new ModelNames(models).find(id);
  if (model?.context_length === undefined) return undefined;
  const [maxOutputTokens] = model.endpoints.flatMap(({ max_output_tokens: tokens }) => tokens ?? []);
  if (maxOutputTokens === undefined) return undefined;
  return { contextTokens: model.context_length, maxOutputTokens, inputModalities: model.input_modalities };
}
