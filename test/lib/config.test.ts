import { describe, expect, it } from 'vitest';
import { readConfig } from '../../lib/config.ts';

/** Write units of a request between a short answer under one limit and one of 5,000 tokens. */
const UNITS_OF_A_REQUEST = 40;

it('by default the table may write what the door lets in', () => {
  const { rateLimit, maxWriteUnits } = readConfig(() => undefined);
  expect(maxWriteUnits).toBeGreaterThanOrEqual(rateLimit * UNITS_OF_A_REQUEST);
});

const modelsOf = (text: string | undefined) =>
  readConfig((key) => (key === 'gateway:bedrockModels' ? text : undefined)).bedrockModels;

describe('the models of Amazon Bedrock that the functions may invoke themselves', () => {
  it('are none by default', () => {
    expect(modelsOf(undefined)).toEqual([]);
  });

  it('are ARNs with a comma between them', () => {
    const model = 'arn:aws:bedrock:*::foundation-model/amazon.nova-*';
    const profile = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-*';

    expect(modelsOf(`${model}, ${profile}`)).toEqual([model, profile]);
  });

  it('are refused in another form', () => {
    expect(() => modelsOf('*')).toThrow('gateway:bedrockModels');
  });
});
