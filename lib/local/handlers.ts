import { functions } from '../../lambdas/routes.ts';

/** Loads the module of a function of the manifest. The tests' bundle of a gateway has another file in the place of this one. */
export function importHandler(name: string): Promise<unknown> {
  return import(`../../lambdas/${functions[name]!.entry}`);
}
