import type { ImportHandler } from '../../lambdas/server/in-process-host.ts';
import { functions } from '../../lambdas/routes.ts';

/** Any function of the manifest. The tests' bundle of a gateway has another file in the place of this one. */
export const importHandler: ImportHandler = (name) => import(`../../lambdas/${functions[name]!.entry}`);
