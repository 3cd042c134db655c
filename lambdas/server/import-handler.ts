import { functions } from '../routes.ts';
import type { ImportHandler } from './in-process-host.ts';

/** Any function of the manifest. Bundles have a list of imports in the place of this file (lib/shared/bundles/bundle.ts). */
export const importHandler: ImportHandler = (name) => import(`../${functions[name]!.entry}`);
