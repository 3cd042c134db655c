/**
 * Publishes a catalog while the gateway runs. If two operators publish at the same time, only one of them succeeds.
 *
 * Guarantee: every published catalog has an audit entry, which is written before the publication. A failed publication
 * normally gets a second entry.
 */

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
  /** The catalog that applies if no catalog is published. */
  deployed: () => CatalogFiles;
  operator: () => Promise<Actor>;
}

export interface PublishOptions {
  action: 'catalog.publish' | 'catalog.rollback' | 'catalog.withdraw';
  /** If false, the differences are only computed. */
  yes?: boolean;
  /** Whether the operator confirms that all variables are set that the new catalog uses and the current one does not. */
  variablesAreSet?: boolean;
}

/**
 * If `published` is false, nothing was published: the operator has not confirmed it, or the catalog is already
 * published.
 */
export interface Published {
  published: boolean;
  /**
   * Version of the current catalog; null for the deployed catalog, and if the current publication is invalid. `after`
   * is the version of the new catalog.
   */
  before: string | null;
  after: string | null;
  prices: number;
  /** Number of changes other than prices. */
  others: number;
  /** Credentials that the current catalog does not use, so the gateway may have no values for them. */
  new_credentials: string[];
  /** Excludes warnings that also apply to the current catalog. */
  warnings: string[];
  changes: CatalogChange[];
}

/**
 * `kept` is the latest stored publication. `publication` is its content; undefined if there is none or the content is
 * invalid.
 */
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

/**
 * Parses a publication; undefined if it is invalid. Functions cannot use an invalid publication, so a new one may
 * replace it.
 */
export function readable({ text }: KeptPublication): Publication | undefined {
  try {
    return readPublication(text);
  } catch (error) {
    if (error instanceof CatalogError) return undefined;
    throw error;
  }
}

/**
 * Publishes, rolls back or withdraws a catalog.
 * @param files catalog to publish; undefined for the deployed catalog
 * @throws {GatewayError} 400 if the catalog is too large or uses an unconfirmed new variable; 404 if there is no
 *   publication to withdraw; 409 if another operator has published since the current catalog was read
 * @throws {CatalogError} if functions could not read the catalog
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
    throw new GatewayError('not_found', 'No catalog is published, so there is nothing to withdraw.');
  }
  // The variables of the deployed catalog were deployed with it.
  if (files && !variablesAreSet) refuseNewVariables(current, files);
  const changes = changesBetween(current, files ?? deployed());
  const prices = changes.filter(isOfPrice).length;
  const [before, after] = [publication?.files?.version ?? null, files?.version ?? null];
  const known = credentialsOf(current);
  const fresh = [...credentialsOf(files ?? deployed())].filter((name) => !known.has(name));
  const result = {
    before,
    after,
    prices,
    others: changes.length - prices,
    new_credentials: fresh,
    warnings: newWarnings(current, files ?? deployed()),
    changes,
  };
  const isInForce = after !== null && after === before;
  if (!yes || isInForce) return { published: false, ...result };
  const actor = await operator();
  const text = writePublication({ publishedAt: new Date(nowMs()).toISOString(), by: actor.id, files });
  checkUsable(text);
  const change = {
    target: `catalog ${after ?? 'as deployed'}`,
    before: { version: before },
    after: { version: after },
  };
  const audit = (name: string) =>
    commitChange({ table, accountId: GATEWAY_AUDIT, actor }, { ...change, action: name }, {});
  await audit(action);
  try {
    await putPublication(publications, text, kept);
  } catch (error) {
    await audit(`${action}_failed`);
    throw error;
  }
  return { published: true, ...result };
}

/** @throws {GatewayError} 409 if another operator has published since `kept` was read */
async function putPublication(
  publications: Publications,
  text: string,
  kept: KeptPublication | undefined,
): Promise<void> {
  if (await publications.put(text, kept)) return;
  // If the reply to a successful write was lost, its repetition finds its own publication.
  if ((await publications.latest())?.text === text) return;
  throw conflict(
    'Someone else has published a catalog since. Review it with "catalog show --history 3", then publish again.',
  );
}

function newWarnings(current: CatalogFiles, next: CatalogFiles): string[] {
  const today = utcDate(nowMs());
  const known = new Set(warningsOf(current, today));
  return warningsOf(next, today).filter((warning) => !known.has(warning));
}

/**
 * Refuses a catalog with variables that the current catalog does not use, because they might not be set for functions.
 * @throws {GatewayError} 400 if there is such a variable
 */
function refuseNewVariables(current: CatalogFiles, next: CatalogFiles): void {
  const known = variablesOf(current);
  const fresh = [...variablesOf(next)].filter((name) => !known.has(name));
  if (fresh.length === 0) return;
  throw new GatewayError(
    'invalid_request',
    `The catalog needs ${fresh.join(', ')}, which the current one does not. Functions only get variables by a deployment: set them in gateway:variables and deploy, then publish with --variables-are-set.`,
  );
}

/**
 * @throws {GatewayError} 400 if the text is too large
 * @throws {CatalogError} if functions could not read the text
 */
function checkUsable(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PUBLICATION_BYTES) {
    throw new GatewayError(
      'invalid_request',
      `The catalog has ${bytes} bytes; functions read at most ${MAX_PUBLICATION_BYTES}. Remove models that you do not need.`,
    );
  }
  readPublication(text);
}

/**
 * Returns the catalog to which a rollback switches: the last catalog that differs from the current catalog.
 * @param version version of a publication to which it switches instead
 * @returns undefined for the deployed catalog
 * @throws {GatewayError} 404 if there is no such publication; 409 if no version is given and the rollback would undo
 *   the last rollback or withdrawal
 */
export async function earlierFiles(
  publications: Publications,
  version: string | undefined,
): Promise<CatalogFiles | undefined> {
  const kept = await publications.list(MAX_HISTORY);
  const [current, ...earlier] = kept.map(readable);
  const wanted =
    version === undefined
      ? earlier.find((one) => one !== undefined && !(current && isSame(one, current)))
      : [current, ...earlier].find((one) => one?.files?.version === version);
  if (version === undefined && wanted && isPutBack(current, earlier))
    throw conflict(
      `The current catalog is the result of a rollback from ${nameOf(wanted)}, which this command would publish again. Choose a version with --to.`,
    );
  if (wanted) return wanted.files;
  // Before the first publication, the deployed catalog was in use.
  if (version === undefined && kept.length > 0) return undefined;
  throw new GatewayError(
    'not_found',
    version === undefined
      ? 'Nothing was published, so there is nothing to roll back.'
      : `None of the last ${MAX_HISTORY} publications has the version "${version}". List them with "catalog show --history ${MAX_HISTORY}".`,
  );
}

function isSame(one: Publication, other: Publication): boolean {
  return one.files?.version === other.files?.version;
}

function isPutBack(current: Publication | undefined, earlier: (Publication | undefined)[]): boolean {
  if (!current) return false;
  // A publication without files stands for the deployed catalog.
  const { files } = current;
  return files === undefined || earlier.slice(1).some((one) => one !== undefined && isSame(one, current));
}

function nameOf({ files }: Publication): string {
  return files?.version ?? 'the deployed catalog';
}

/** Number of the latest publications that `catalog show` can list, and that a rollback searches. */
export const MAX_HISTORY = 50;
