import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { DataStack } from '../../lib/aws/data-stack.ts';
import { readConfig } from '../../lib/aws/config.ts';
import { tableDefinition } from '../../lib/shared/table-definition.ts';

interface Table {
  WarmThroughput?: object;
  GlobalSecondaryIndexes: { WarmThroughput?: object }[];
}

function tableWith(warmWriteUnits: number | undefined): Table {
  const config = readConfig((key) => (key === 'gateway:warmWriteUnits' ? warmWriteUnits : undefined));
  const template = Template.fromStack(new DataStack(new App(), 'Data', { config }));
  const [table] = Object.values(template.findResources('AWS::DynamoDB::GlobalTable'));
  return (table as { Properties: Table }).Properties;
}

describe('a table with warm throughput', () => {
  it('has the write units from its creation, and so have its indexes', () => {
    const warm = { WriteUnitsPerSecond: 20_000, ReadUnitsPerSecond: 20_000 };

    const { WarmThroughput, GlobalSecondaryIndexes } = tableWith(20_000);

    expect(WarmThroughput).toEqual(warm);
    expect(GlobalSecondaryIndexes).toHaveLength(tableDefinition.indexes.length);
    expect(GlobalSecondaryIndexes.map((index) => index.WarmThroughput)).toEqual(GlobalSecondaryIndexes.map(() => warm));
  });

  it('keeps the read units of every new table', () => {
    expect(tableWith(4_000).WarmThroughput).toEqual({ WriteUnitsPerSecond: 4_000, ReadUnitsPerSecond: 12_000 });
  });

  it('is off by default, because it costs money', () => {
    const { WarmThroughput, GlobalSecondaryIndexes } = tableWith(undefined);

    expect([WarmThroughput, ...GlobalSecondaryIndexes.map((index) => index.WarmThroughput)]).toEqual(
      Array(1 + GlobalSecondaryIndexes.length).fill(undefined),
    );
  });
});
