import { CatalogError } from './catalog-error.ts';
import type { z } from 'zod';
import { quirkSchemas } from './quirk-schemas.ts';
import type { ProviderData } from './schema.ts';
import type { Wire } from './wires.ts';

const schemas: Record<Wire, z.ZodObject> = quirkSchemas;

/**
 * Checks quirks against the schema of their wire; a quirk of another wire would silently have no effect.
 * @param place file and field with the quirks
 * @throws {CatalogError} naming the invalid quirk
 */
export function checkQuirks(wire: Wire, quirks: ProviderData['quirks'], place: string): void {
  const schema = schemas[wire];
  const { error } = schema.safeParse(quirks ?? {});
  if (!error) return;
  const unknown = Object.keys(quirks!).find((name) => !Object.hasOwn(schema.shape, name));
  const [issue] = error.issues;
  if (unknown === undefined) throw new CatalogError(`${place}.quirks.${issue!.path.join('.')}: ${issue!.message}`);
  const known = Object.keys(schema.shape).join(', ') || 'none';
  throw new CatalogError(
    `${place}.quirks.${unknown}: the wire "${wire}" does not have this quirk; its quirks are ${known}`,
  );
}
