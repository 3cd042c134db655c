import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { ModelNames } from '../../../lambdas/catalog/model-names.ts';
import type { InputModality } from '../../../lambdas/catalog/wires.ts';

/** Facts that clients have to be told of a model that they do not know by themselves. */
export interface ModelFacts {
  contextTokens: number;
  maxOutputTokens: number;
  inputModalities: readonly InputModality[];
}

/**
 * @param files of a catalog: what is built from them has only the models that can be called from where it is built
 * @param name the id of a model, or what else means it
 * @returns undefined where there is no such model, or where it is not known how much it reads and writes
 */
export function modelFacts({ models, aliases }: CatalogFiles, name: string): ModelFacts | undefined {
  const id = aliases.find(({ alias }) => alias === name)?.target ?? name;
  const model = models.find((one) => one.id === id) ?? new ModelNames(models).find(id);
  if (model?.context_length === undefined) return undefined;
  const [maxOutputTokens] = model.endpoints.flatMap(({ max_output_tokens: tokens }) => tokens ?? []);
  if (maxOutputTokens === undefined) return undefined;
  return { contextTokens: model.context_length, maxOutputTokens, inputModalities: model.input_modalities };
}
