import type { Catalog, Model } from './catalog.ts';
import { modalities, type Modality } from './modality.ts';

/** Returns the models with at least one of the output modalities. */
export function modelsByModality(catalog: Catalog, wanted: readonly Modality[] | 'all'): Model[] {
  if (wanted === 'all') return [...catalog.models];
  return catalog.models.filter(({ data }) => data.output_modalities.some((modality) => wanted.includes(modality)));
}

/**
 * Parses a comma-separated list, or "all", in any letter case. An empty list stands for text.
 * @returns the modalities, or else the first unknown value
 */
export function parseModalities(text: string): { modalities: Modality[] | 'all' } | { unknown: string } {
  const names = text
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return { modalities: ['text'] };
  if (names.includes('all')) return { modalities: 'all' };
  const unknown = names.find((name) => !(modalities as readonly string[]).includes(name));
  return unknown === undefined ? { modalities: names as Modality[] } : { unknown };
}
