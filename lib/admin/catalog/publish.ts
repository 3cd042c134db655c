/** Puts a catalog in force while the gateway runs: looked at first, published if nobody else has meanwhile, and audited. */

import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { CatalogError } from '../../../lambdas/catalog/catalog-error.ts';
import {
  MAX_PUBLICATION_BYTES,
  readPublication,
  writePublication,
  type Publication,
} from '../../../lambdas/catalog/publication.ts';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { commitChange } from '../../../lambdas/management/change.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { conflict, GatewayError } from '../../../lambdas/platform/errors.ts';
import { GATEWAY_AUDIT, type Actor } from '../../../lambdas/store/accounts/audit.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { warningsOf } from './catalog-warnings.ts';
import { changesBetween, credentialsOf, isOfPrice, variablesOf, type CatalogChange } from './catalog-changes.ts';
import type { KeptPublication, Publications } from './publications.ts';

export interface Publisher {
  table: Table;
  publications: Publications;
  /** The catalog that is in force where nothing is published. */
  deployed: () => CatalogFiles;
  operator: () => Promise<Actor>;
}

/** The change that is asked for. */
export interface PublishOptions {
  action: 'catalog.publish' | 'catalog.rollback' | 'catalog.withdraw';
  /** Without it, only the changes are told. */
  yes?: boolean;
  /** The operator has set the variables that the catalog in force does not name. */
  variablesAreSet?: boolean;
}

/** The change that was made, or would be. */
export interface Published {
  published: boolean;
  /** Versions; null: the catalog that was deployed. */
  before: string | null;
  after: string | null;
  prices: number;
  /** Values that are no price, and models, aliases and providers that are new or gone. */
  others: number;
  /** Credentials that the catalog in force does not name: the gateway may have no value for them. */
  new_credentials: string[];
  /** Unusual values of the catalog that the one in force does not have. */
  warnings: string[];
  changes: CatalogChange[];
}

/** The last publication, and the files that are in force. */
interface InForce {
  kept: KeptPublication | undefined;
  publication: Publication | undefined;
  files: CatalogFiles;
}

export async function inForceAt({
  publications,
  deployed,
}: Pick<Publisher, 'publications' | 'deployed'>): Promise<InForce> {
  const kept = await publications.latest();
  const publication = kept && readable(kept);
  return { kept, publication, files: publication?.files ?? deployed() };
}

/** Reads a publication; one that functions cannot use either is as if it were not there, so that it can be published over. */
export function readable({ text }: KeptPublication): Publication | undefined {
  try {
    return readPublication(text);
  } catch (error) {
    if (error instanceof CatalogError) return undefined;
    throw error;
  }
}

/**
 * @param files what is to be in force; undefined for the catalog that was deployed
 * @throws {GatewayError} 400 for a catalog that functions could not use; 404 if there is no publication to withdraw; 409 where somebody has published meanwhile
 */
export async function publish(
  publisher: Publisher,
  files: CatalogFiles | undefined,
  { action, yes = false, variablesAreSet = false }: PublishOptions,
): Promise<Published> {
  const { table, publications, deployed, operator } = publisher;
  const { kept, publication, files: current } = await inForceAt(publisher);
  const isDeployed = kept === undefined || (publication !== undefined && publication.files === undefined);
  if (!files && isDeployed) {
    throw new GatewayError('not_found', 'No published catalog is in force, so there is none to withdraw.');
  }
  // The deployed catalog was deployed with its variables.
  if (files && !variablesAreSet) refuseNewVariables(current, files);
  const changes = changesBetween(current, files ?? deployed());
  const prices = changes.filter(isOfPrice).length;
  const [before, after] = [publication?.files?.version ?? null, files?.version ?? null];
  const known = credentialsOf(current);
  const fresh = [...credentialsOf(files ?? deployed())].filter((name) => !known.has(name));
  const told = {
    before,
    after,
    prices,
    others: changes.length - prices,
    new_credentials: fresh,
    warnings: newWarnings(current, files ?? deployed()),
    changes,
  };
  if (!yes) return { published: false, ...told };
  const actor = await operator();
  const text = writePublication({ publishedAt: new Date(nowMs()).toISOString(), by: actor.id, files });
  checkUsable(text);
  if (!(await publications.put(text, kept))) {
    throw conflict(
      'Somebody else has published meanwhile: look at it with "catalog show --history 3", and publish again.',
    );
  }
  await commitChange(
    { table, accountId: GATEWAY_AUDIT, actor },
    { action, target: `catalog ${after ?? 'as deployed'}`, before: { version: before }, after: { version: after } },
    {},
  );
  return { published: true, ...told };
}

function newWarnings(current: CatalogFiles, next: CatalogFiles): string[] {
  const today = utcDate(nowMs());
  const known = new Set(warningsOf(current, today));
  return warningsOf(next, today).filter((warning) => !known.has(warning));
}

/** @throws {GatewayError} 400 where functions would find no value */
function refuseNewVariables(current: CatalogFiles, next: CatalogFiles): void {
  const known = variablesOf(current);
  const fresh = [...variablesOf(next)].filter((name) => !known.has(name));
  if (fresh.length === 0) return;
  throw new GatewayError(
    'invalid_request',
    `The catalog needs ${fresh.join(', ')}, which the one in force does not. Functions get variables with a deployment (gateway:variables): deploy them first, then publish with --variables-are-set.`,
  );
}

/** Reads the text as functions will. @throws {GatewayError} 400 where they could not */
function checkUsable(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PUBLICATION_BYTES) {
    throw new GatewayError(
      'invalid_request',
      `The catalog has ${bytes} bytes, and functions read ${MAX_PUBLICATION_BYTES} at most.`,
    );
  }
  readPublication(text);
}

/**
 * The catalog that was in force before the one that is.
 * @param version of the one that is wanted
 * @throws {GatewayError} 404; 409 where the one in force was itself put back, and nobody says which is wanted: the one before it is the one that
 *   it has replaced for a reason
 */
export async function earlierFiles(
  publications: Publications,
  version: string | undefined,
): Promise<CatalogFiles | undefined> {
  const kept = await publications.list(MAX_HISTORY);
  const [current, ...earlier] = kept.map(readable);
  const wanted =
    version === undefined
      ? earlier.find((one) => one !== undefined)
      : [current, ...earlier].find((one) => one?.files?.version === version);
  if (version === undefined && wanted && isPutBack(current, earlier))
    throw conflict(
      `The catalog in force was put back after ${nameOf(wanted)}, which this would put in force again. Say which one with --to.`,
    );
  if (wanted) return wanted.files;
  // Before the first publication, the deployed catalog was in force.
  if (version === undefined && kept.length > 0) return undefined;
  throw new GatewayError(
    'not_found',
    version === undefined
      ? 'Nothing was published, so there is nothing to go back from.'
      : `None of the last ${MAX_HISTORY} publications has the version "${version}"; "catalog show --history ${MAX_HISTORY}" lists them.`,
  );
}

function isPutBack(current: Publication | undefined, earlier: (Publication | undefined)[]): boolean {
  if (!current) return false;
  // Before the first publication, the deployed catalog was in force.
  const { files } = current;
  return files === undefined || earlier.slice(1).some((one) => one?.files?.version === files.version);
}

function nameOf({ files }: Publication): string {
  return files?.version ?? 'the deployed one';
}

/** As many publications are looked through. */
export const MAX_HISTORY = 50;
