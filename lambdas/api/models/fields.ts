import { z } from 'zod';
import { parseModalities } from '../../catalog/modalities.ts';
import { modalities, type Modality } from '../../catalog/schema.ts';

/** `output_modalities`: a comma-separated list, or "all"; text without it. */
export const modalitiesParameter = z
  .string()
  .default('text')
  .transform((text, context) => {
    const wanted = parseModalities(text.trim() || 'text');
    if (!('unknown' in wanted)) return wanted.modalities;
    context.addIssue({
      code: 'custom',
      message: `"${wanted.unknown.slice(0, 40)}" is not a modality; use "all" or a comma-separated list of ${modalities.join(', ')}`,
    });
    return z.NEVER;
  })
  .meta({
    description: `"all", or a comma-separated list of ${modalities.join(', ')}.`,
    override: { type: 'string', default: 'text' },
    example: 'text,image',
  });

export function modalitiesText(wanted: Modality[] | 'all'): string {
  return wanted === 'all' ? wanted : wanted.join(',');
}
