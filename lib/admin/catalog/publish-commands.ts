import type { Command } from 'commander';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { catalogDirectory } from '../../../lambdas/catalog/load.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { StartFailure } from '../../shared/failure.ts';
import type { LocalState } from '../../shared/data-directory/state.ts';
import { parseCount } from '../command-line/arguments.ts';
import { operatorOf } from '../session/operator.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { withTableOf } from '../session/session.ts';
import { earlierFiles, inForceAt, MAX_HISTORY, publish, readable, type Published, type Publisher } from './publish.ts';
import { publicationsInBucket, publicationsInDirectory } from './publications.ts';

/** Adds the commands for the current catalog, which is the published catalog, or else the deployed one. */
export function addPublishCommands(catalog: Command): void {
  const onPublications = (name: string, description: string) =>
    catalog
      .command(name)
      .description(description)
      .option('--bucket <name>', 'bucket of publications (output CatalogBucketName); required with --table');
  const changing = (name: string, description: string) =>
    onPublications(name, description)
      .option('--yes', 'apply the change; without this option, only print the differences')
      .option('--variables-are-set', 'confirm that the deployment has the variables that are new in this catalog');
  onPublications('show', 'list the current catalog and earlier ones, with their publishers')
    .option('--history <n>', 'number of publications', parseCount, 1)
    .action(({ bucket, history }: ShowOptions, command: Command) =>
      withTableOf(command, async (_table, { json }, local) => {
        print(await publicationRows(placeOf(local, bucket), Math.min(history, MAX_HISTORY)), json);
      }),
    );
  changing('publish', 'publish a catalog without a deployment; running requests keep their catalog')
    .argument('<dir>', 'directory with providers.json and models/*.json')
    .action((directory: string, options: ChangeOptions, command: Command) =>
      withPublisher(command, options, async (publisher) =>
        publish(publisher, readCatalogFiles(directory), { ...options, action: 'catalog.publish' }),
      ),
    );
  changing('rollback', 'publish the previous catalog again')
    .option('--to <version>', 'version of an earlier publication')
    .action((options: ChangeOptions & { to?: string }, command: Command) =>
      withPublisher(command, options, async (publisher) =>
        publish(publisher, await earlierFiles(publisher.publications, options.to), {
          ...options,
          action: 'catalog.rollback',
        }),
      ),
    );
  changing('withdraw', 'return to the deployed catalog').action((options: ChangeOptions, command: Command) =>
    withPublisher(command, options, async (publisher) =>
      publish(publisher, undefined, { ...options, action: 'catalog.withdraw' }),
    ),
  );
}

interface ChangeOptions {
  bucket?: string;
  yes?: boolean;
  variablesAreSet?: boolean;
}

interface ShowOptions {
  bucket?: string;
  history: number;
}

async function publicationRows(place: PublicationPlace, history: number): Promise<Row[]> {
  const kept = await place.publications.list(history);
  if (kept.length === 0) {
    const { files } = await inForceAt(place);
    return [{ version: files.version, published_at: null, by: null, models: files.models.length, is: 'as deployed' }];
  }
  return kept.map((one, index) => {
    const publication = readable(one);
    const { files } = publication ?? {};
    const is = !publication ? 'cannot be used' : files ? 'published' : 'as deployed';
    return {
      version: files?.version ?? null,
      published_at: publication?.publishedAt ?? null,
      by: publication?.by ?? null,
      models: files?.models.length ?? null,
      is: index === 0 && publication ? `${is}, in force` : is,
    };
  });
}

function withPublisher(
  command: Command,
  { bucket }: ChangeOptions,
  work: (publisher: Publisher) => Promise<Published>,
): Promise<void> {
  return withTableOf(command, async (table: Table, { json }, local) => {
    const operator = () => operatorOf(local === undefined);
    const done = await work({ table, ...placeOf(local, bucket), operator });
    if (json) print({ ...done }, true);
    else printPublished(done);
  });
}

/** Maximum number of changes in text output. JSON output contains all changes. */
const MAX_SHOWN = 100;

const versionName = (version: string | null) => version ?? 'the deployed catalog';

function printPublished({
  published,
  before,
  after,
  prices,
  others,
  new_credentials: fresh,
  warnings,
  changes,
}: Published): void {
  if (changes.length > 0) process.stdout.write(asTable(changes.slice(0, MAX_SHOWN).map((change) => ({ ...change }))));
  const more = changes.length > MAX_SHOWN ? ` (${changes.length - MAX_SHOWN} more with --json)` : '';
  process.stdout.write(
    `${prices} prices and ${others} other values differ${more}: ${versionName(before)} → ${versionName(after)}\n`,
  );
  if (fresh.length > 0) {
    process.stdout.write(
      `New credentials: ${fresh.join(', ')}. Set them first: for npm start, as environment variables before it starts; on AWS, in the secret of provider keys.\n`,
    );
  }
  for (const warning of warnings) process.stdout.write(`Warning: ${warning}\n`);
  process.stdout.write(
    published
      ? 'Published. Running functions use it within two minutes; a local gateway within two seconds.\n'
      : after !== null && after === before
        ? 'Nothing was published, because this catalog is already in force.\n'
        : 'Nothing was published. Repeat the command with --yes to publish.\n',
  );
}

type PublicationPlace = Pick<Publisher, 'publications' | 'deployed'>;

/**
 * Returns the storage of publications, and the deployed catalog.
 * @throws {StartFailure} if the table is on AWS and no bucket is given
 */
function placeOf(local: LocalState | undefined, bucket: string | undefined): PublicationPlace {
  const deployed = () => readCatalogFiles(local?.running()?.catalog_directory ?? catalogDirectory());
  if (local) return { publications: publicationsInDirectory(local.publicationsDirectory()), deployed };
  if (bucket !== undefined) return { publications: publicationsInBucket(bucket), deployed };
  throw new StartFailure('Pass the bucket of publications with --bucket. Its name is the output CatalogBucketName.');
}
