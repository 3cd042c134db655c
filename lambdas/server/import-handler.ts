import { functions } from '../routes.ts';
import type { ImportHandler } from './in-process-host.ts';

/** Imports any function of the manifest. Bundles replace this file (lib/shared/bundles/bundle.ts). */
export const importHandler: ImportHandler = (name) => import(`../${functions[name]!.entry}`);
