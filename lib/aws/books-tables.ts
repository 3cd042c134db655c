import { Aws, type Stack } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { BooksView, ColumnType } from '../shared/book-views/view.ts';
import { athenaChecks, athenaViews } from '../shared/book-views/views.ts';
import { pascalCase } from './pascal-case.ts';

/** Name in Athena of every account's default data catalog. */
export const CATALOG = 'AwsDataCatalog';

const FIRST_EXPORT_DATE = '2026-01-01';

const hiveTypes: Record<ColumnType, string> = {
  varchar: 'string',
  boolean: 'boolean',
  bigint: 'bigint',
  'decimal(38,12)': 'decimal(38,12)',
};

/** Returns the database name, which needs no quotes in Athena. */
export function databaseName(stage: string): string {
  return `model_gateway_${stage.replaceAll('-', '_')}`;
}

/** Creates the Athena tables for the exports: a table of lines, and the views. */
export function createBooksTables(stack: Stack, { books, database }: { books: Bucket; database: string }): void {
  const parent = new CfnDatabase(stack, 'Database', {
    catalogId: Aws.ACCOUNT_ID,
    databaseInput: { name: database, description: 'Exports of the table of the model gateway, and views over them.' },
  });
  const add = (id: string, tableInput: CfnTable.TableInputProperty) =>
    new CfnTable(stack, id, { catalogId: Aws.ACCOUNT_ID, databaseName: database, tableInput }).addResourceDependency(
      parent,
    );
  add('Lines', exportLinesTable(books));
  for (const view of athenaViews) add(`${pascalCase(view.name.replaceAll('_', '-'))}View`, tableOf(view, database));
}

/**
 * Returns a table whose only column is the unparsed line. The field separator is the byte 1, which cannot occur in
 * JSON, and there is no escape character.
 */
function exportLinesTable(books: Bucket): CfnTable.TableInputProperty {
  const bucket = `s3://${books.bucketName}/`;
  return {
    name: 'lines',
    description: 'Each line of each file of the exports, manifests among them.',
    tableType: 'EXTERNAL_TABLE',
    parameters: {
      EXTERNAL: 'TRUE',
      'projection.enabled': 'true',
      'projection.kind.type': 'enum',
      'projection.kind.values': 'full,incremental',
      'projection.dt.type': 'date',
      'projection.dt.format': 'yyyy-MM-dd',
      'projection.dt.range': `${FIRST_EXPORT_DATE},NOW`,
      'projection.dt.interval': '1',
      'projection.dt.interval.unit': 'DAYS',
      'storage.location.template': `${bucket}\${kind}/dt=\${dt}/`,
    },
    partitionKeys: ['kind', 'dt'].map((name) => ({ name, type: 'string' })),
    storageDescriptor: {
      location: bucket,
      columns: [{ name: 'line', type: 'string' }],
      inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
        parameters: { 'serialization.format': '1' },
      },
    },
  };
}

/** Returns a view in Athena's own format: a SQL comment with the query and columns as base64 of JSON. */
function tableOf({ name, columns, query }: BooksView, database: string): CfnTable.TableInputProperty {
  const all = Object.entries(columns);
  const definition = {
    originalSql: query,
    catalog: CATALOG.toLowerCase(),
    schema: database,
    columns: all.map(([column, type]) => ({ name: column, type })),
  };
  const means: string | undefined = (athenaChecks as Record<string, string>)[name];
  return {
    name,
    ...(means === undefined ? {} : { description: `Must be empty. A row is ${means}.` }),
    tableType: 'VIRTUAL_VIEW',
    // Without both parameters, Athena would treat the view as a Hive view.
    parameters: { presto_view: 'true', comment: 'Presto View' },
    viewOriginalText: `/* Presto View: ${Buffer.from(JSON.stringify(definition)).toString('base64')} */`,
    viewExpandedText: '/* Presto View */',
    partitionKeys: [],
    storageDescriptor: {
      columns: all.map(([column, type]) => ({ name: column, type: hiveTypes[type] })),
      serdeInfo: {},
    },
  };
}
