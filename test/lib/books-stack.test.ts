import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { athenaChecks, athenaViews } from '../../lib/shared/book-views/views.ts';
import { sharedSettings, synthesize, type Synthesized } from '../support/synthesized.ts';
import { trinoMistakes } from '../support/trino.ts';

const { 'gateway:reviewers': reviewers } = sharedSettings.otherStage;

let plain: Synthesized;
let named: Synthesized;
beforeAll(() => {
  plain = synthesize();
  named = synthesize(sharedSettings.otherStage);
});

interface TableInput {
  Name: string;
  TableType: string;
  Parameters: Record<string, unknown>;
  PartitionKeys: { Name: string }[];
  ViewOriginalText?: string;
  StorageDescriptor: { Columns: { Name: string; Type: string }[] };
}

const tablesIn = ({ books }: Synthesized): TableInput[] =>
  Object.values(books.findResources('AWS::Glue::Table')).map(
    ({ Properties }) => (Properties as { TableInput: TableInput }).TableInput,
  );
const viewsIn = (of: Synthesized) => tablesIn(of).filter(({ TableType }) => TableType === 'VIRTUAL_VIEW');

/** Returns the definition of a view that Athena reads. */
const definitionOf = ({ ViewOriginalText: text }: TableInput) =>
  JSON.parse(Buffer.from(/^\/\* Presto View: (\S+) \*\/$/.exec(text!)![1]!, 'base64').toString()) as {
    originalSql: string;
    catalog: string;
    schema: string;
    columns: { name: string; type: string }[];
  };

interface Statement {
  Sid: string;
  Action: string | string[];
  Resource: unknown;
}
const queryPolicy = ({ books }: Synthesized): Statement[] => {
  const policies = Object.values(books.findResources('AWS::IAM::ManagedPolicy')) as {
    Properties: { PolicyDocument: { Statement: Statement[] } };
  }[];
  expect(policies).toHaveLength(1);
  return policies[0]!.Properties.PolicyDocument.Statement;
};

describe('the books in SQL', () => {
  it('pass all checks, with reviewers and without', () => {
    expect([plain.violations, named.violations]).toEqual([[], []]);
  });

  it('read lines of exports as texts, from the places of the exports', () => {
    const lines = tablesIn(plain).find(({ TableType }) => TableType === 'EXTERNAL_TABLE');
    const location = JSON.stringify(lines!.Parameters['storage.location.template']);

    expect(location).toMatch(/Books8C439C90.*"\/\$\{kind\}\/dt=\$\{dt\}\/"/);
    expect(lines).toMatchObject({
      Name: 'lines',
      PartitionKeys: [{ Name: 'kind' }, { Name: 'dt' }],
      Parameters: {
        'projection.enabled': 'true',
        'projection.kind.values': 'full,incremental',
        'projection.dt.format': 'yyyy-MM-dd',
        'projection.dt.range': '2026-01-01,NOW',
      },
      StorageDescriptor: {
        Columns: [{ Name: 'line', Type: 'string' }],
        InputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
        SerdeInfo: {
          SerializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
          // A field delimiter, an escape character or another text for null would change the content of lines.
          Parameters: { 'serialization.format': '1' },
        },
      },
    });
  });

  it('have each view as Athena stores it: its SQL, and its columns in both type languages', () => {
    const views = viewsIn(named);
    expect(views.map(({ Name }) => Name)).toEqual(athenaViews.map(({ name }) => name));
    for (const [place, view] of views.entries()) {
      const { columns, query } = athenaViews[place]!;
      const all = Object.entries(columns);
      expect(view).toMatchObject({ Parameters: { presto_view: 'true', comment: 'Presto View' } });
      expect(definitionOf(view)).toEqual({
        originalSql: query,
        catalog: 'awsdatacatalog',
        schema: 'model_gateway_my_test',
        columns: all.map(([name, type]) => ({ name, type })),
      });
      const hive = all.map(([Name, type]) => ({ Name, Type: type === 'varchar' ? 'string' : type }));
      expect(view.StorageDescriptor.Columns).toEqual(hive);
    }
  });

  it('fit the size limits of a template and of the data catalog', () => {
    const bytes = JSON.stringify(plain.books.toJSON()).length;
    const longest = Math.max(...viewsIn(plain).map(({ ViewOriginalText: text }) => text!.length));
    expect(bytes).toBeLessThan(500_000);
    expect(longest).toBeLessThan(409_600);
  });

  it('have a workgroup with enforced settings and a limit of read bytes', () => {
    for (const [{ books }, limit] of [
      [plain, 500e9],
      [named, 2_010_000_000],
    ] as const) {
      books.hasResourceProperties('AWS::Athena::WorkGroup', {
        WorkGroupConfiguration: Match.objectLike({
          EnforceWorkGroupConfiguration: true,
          EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
          BytesScannedCutoffPerQuery: limit,
          ResultConfiguration: Match.objectLike({ EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } }),
        }),
      });
    }
  });

  it('keep results for a month in their own private, encrypted bucket', () => {
    plain.books.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.anyValue(),
      LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 30, Status: 'Enabled' })] },
    });
    plain.books.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
      }),
    });
  });

  it('have saved checks in valid Athena SQL', async () => {
    const saved = Object.values(named.books.findResources('AWS::Athena::NamedQuery')).map(
      ({ Properties }) => Properties as { Name: string; Database: string; WorkGroup: string; QueryString: string },
    );
    expect(saved.map(({ Name }) => Name)).toEqual(Object.keys(athenaChecks));
    for (const { Database, WorkGroup, QueryString } of saved) {
      expect([Database, WorkGroup]).toEqual(['model_gateway_my_test', 'model-gateway-my-test-books']);
      expect(await trinoMistakes(QueryString)).toEqual([]);
    }
  });
});

describe('a reviewer', () => {
  it('may query in one workgroup, read one database and write results, but not read the table or change the data catalog', () => {
    const statements = queryPolicy(plain);
    expect(statements.map(({ Sid }) => Sid)).toEqual([
      'Ask',
      'Sources',
      'Names',
      'Tables',
      'Default',
      'Places',
      'Answers',
      'AnswersThere',
    ]);
    const actions = statements.flatMap(({ Action }) => Action);
    expect(actions.filter((action) => /Create|Update|Delete|\*/.test(action))).toEqual([]);
    expect(actions.filter((action) => /Put|Abort|Start|Stop/.test(action))).toEqual([
      'athena:StartQueryExecution',
      'athena:StopQueryExecution',
      's3:AbortMultipartUpload',
      's3:PutObject',
    ]);
    const onAll = statements.filter(({ Resource }) => Resource === '*');
    expect(onAll.map(({ Action }) => Action)).toEqual([['athena:ListDataCatalogs', 'athena:ListWorkGroups']]);
    const written = statements.find(({ Sid }) => Sid === 'Answers')!;
    expect(JSON.stringify(written.Resource)).toContain('Results');
    const services = new Set(actions.map((action) => action.split(':')[0]));
    expect([...services].toSorted()).toEqual(['athena', 'glue', 's3']);
    // IAM counts the characters without spaces.
    expect(JSON.stringify(statements).length).toBeLessThan(6_144);
  });

  it('has a role with these rights and read access to exports, if the operator names who may assume it', () => {
    plain.books.resourceCountIs('AWS::IAM::Role', 0);
    const [[, { Properties: role }]] = Object.entries(named.books.findResources('AWS::IAM::Role')) as unknown as [
      [string, { Properties: Record<string, unknown> }],
    ];

    expect(role['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { AWS: reviewers } }],
    });
    expect(role['ManagedPolicyArns']).toHaveLength(2);
    expect(JSON.stringify(role['ManagedPolicyArns'])).toMatch(/Reviewer.*Queries/);
    expect(role).not.toHaveProperty('Policies');
    named.books.hasOutput('ReviewerRoleArn', {});
  });

  it('gets the workgroup and the database as outputs', () => {
    expect(Object.keys(plain.books.findOutputs('*')).toSorted()).toEqual([
      'BooksDatabase',
      'BooksQueryPolicyArn',
      'BooksWorkgroup',
    ]);
  });
});
