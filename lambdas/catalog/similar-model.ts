import { closest, distance } from 'fastest-levenshtein';
import type { Catalog, Model } from './catalog.ts';
import { withoutAuthor } from './model-names.ts';

/** Maximum number of typing errors in a name: one in five characters, at most three. */
const maxMistakes = (id: string) => Math.min(3, Math.floor(id.length / 5));
/** Maximum length of a name. A longer name gets no suggestion. */
const MAX_SUGGESTED_LENGTH = 200;
const MAX_RELATED_MODELS = 3;
/** Minimum length of the word that names a family of models. Shorter words, such as "o", are in unrelated names. */
const MIN_FAMILY_LENGTH = 3;

/**
 * Returns a sentence with the ids that are most similar to a name that is not in the catalog. If the first word of the
 * name, such as "sonnet" or "deepseek", is in the catalog, only ids with this word are similar.
 */
export function modelHint({ models }: Pick<Catalog, 'models'>, id: string): string {
  const wanted = id.length > MAX_SUGGESTED_LENGTH ? '' : id.toLowerCase();
  const parts = idParts(withoutAuthor(wanted));
  const family = parts.find((part) => part.length >= MIN_FAMILY_LENGTH && hasNoDigit(part));
  const related = family === undefined ? [] : models.filter((model) => idParts(model.id).includes(family));
  const meant = similarModel(related.length > 0 ? related : models, wanted);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  const nearest = nearestFirst(related, parts).slice(0, MAX_RELATED_MODELS);
  const ids = nearest.map((model) => `"${model.id}"`).join(', ');
  return `${ids ? `Similar models: ${ids}. ` : ''}GET /models lists the catalog's ids.`;
}

/**
 * Returns the id of the model with this name, ignoring a missing author. Otherwise, returns the most similar id with
 * the same digits; undefined if there is none, or if it differs in too many characters.
 */
function similarModel(models: readonly Model[], wanted: string): string | undefined {
  const named = models.find((model) => model.id === wanted || withoutAuthor(model.id) === wanted);
  if (named) return named.id;
  const isWhole = wanted.includes('/');
  // A name with other digits probably means another model, such as another version.
  const names = models
    .map((model) => (isWhole ? model.id : withoutAuthor(model.id)))
    .filter((name) => modelDigits(name) === modelDigits(wanted));
  const nearest = names.length === 0 ? undefined : closest(wanted, names);
  if (nearest === undefined || distance(wanted, nearest) > maxMistakes(wanted)) return undefined;
  return models.find(({ id: known }) => known === nearest || withoutAuthor(known) === nearest)!.id;
}

const modelDigits = (id: string) => id.replaceAll(/\D/g, '');

/** Sorts models: first by the number of shared words and numbers, then models with few words, then newer models. */
function nearestFirst(models: readonly Model[], wanted: readonly string[]): Model[] {
  const facts = models.map((model) => {
    const known = idParts(model.id);
    const shared = wanted.filter((part) => known.includes(part)).length;
    return { model, shared, words: known.filter(hasNoDigit).length, created: model.data.created };
  });
  return facts
    .toSorted((a, b) => b.shared - a.shared || a.words - b.words || b.created.localeCompare(a.created))
    .map(({ model }) => model);
}

/** Returns the words and numbers of an id. */
function idParts(id: string): string[] {
  return id.match(/[a-z]+|\d+/g) ?? [];
}

const hasNoDigit = (part: string) => !/\d/.test(part);
