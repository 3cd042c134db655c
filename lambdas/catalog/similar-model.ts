import { closest, distance } from 'fastest-levenshtein';
import type { Catalog } from './catalog.ts';
import { withoutAuthor } from './model-names.ts';

/** Maximum number of typing errors in a name: one in five characters, at most three. */
const maxMistakes = (id: string) => Math.min(3, Math.floor(id.length / 5));
/** Maximum length of a name. A longer name is not a typing error. */
const MAX_SUGGESTED_LENGTH = 200;

/**
 * Returns the id of the model with this name, ignoring case and a missing author. Otherwise, returns the most similar
 * id with the same digits; undefined if there is none, or if it differs in too many characters.
 */
export function similarModel({ models }: Pick<Catalog, 'models'>, id: string): string | undefined {
  if (id.length > MAX_SUGGESTED_LENGTH) return undefined;
  const wanted = id.toLowerCase();
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
