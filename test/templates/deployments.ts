/** Sample deployments that together have each of `otherValues` for every setting that affects a template. */

import type { GatewayConfig } from '../../lib/aws/config.ts';

type SettingName = keyof GatewayConfig;
export type Settings = Partial<Record<SettingName, unknown>>;

export interface SampleDeployment {
  name: string;
  settings: Settings;
}

/** Values of each setting other than the default. */
export const otherValues = {
  stage: ['next'],
  tableName: ['restored-2026-11-23'],
  // This setting affects only the bundles.
  catalog: [],
  rateLimit: [150],
  burstLimit: [300],
  maxReadUnits: [13_000],
  maxWriteUnits: [41_000],
  warmWriteUnits: [8_000],
  outputStepTokens: [2_048],
  bedrockModels: ['arn:aws:bedrock:*::foundation-model/amazon.nova-lite-v1:0'],
  variables: [{ YANDEX_FOLDER_ID: 'folder' }],
  functionUrl: [false],
  streamRuntime: ['web'],
  corsOrigins: ['*', 'https://app.example.org, https://b.example.org'],
  booksLockDays: [0],
  reviewers: [['arn:aws:iam::123456789012:root']],
  maxQueryGigabytes: [2],
  timestampAuthority: ['https://time.example.org'],
  reserveWorkers: [true, false],
  terminationProtection: [false],
  canaryMinutes: [0, 10],
  concurrency: [500],
  domain: ['api.example.org'],
  certificateArn: ['arn:aws:acm:eu-central-1:123456789012:certificate/1a2b-3c'],
  requestsPerKey: [3_000],
  tags: [{ team: 'platform' }],
  alarmEmail: ['alarms@example.org'],
} satisfies Record<SettingName, readonly unknown[]>;

const named: Settings = { domain: otherValues.domain[0], certificateArn: otherValues.certificateArn[0] };

/** Settings that other settings require. */
const companions: Partial<Record<SettingName, Settings>> = {
  domain: named,
  certificateArn: named,
  requestsPerKey: { functionUrl: false },
  reserveWorkers: { concurrency: otherValues.concurrency[0] },
};
/** Settings that are refused with a server. */
const WITHOUT_SERVER: ReadonlySet<string> = new Set<SettingName>(['requestsPerKey']);

const entries = Object.entries(otherValues) as [SettingName, readonly unknown[]][];

/** Returns each runtime with default settings, and with another value of every setting that it accepts. */
export function fewDeployments(): SampleDeployment[] {
  const { requestsPerKey: _refused, ...withServer } = allAt(1);
  return [
    { name: 'functions', settings: {} },
    { name: 'web', settings: { streamRuntime: 'web' } },
    { name: 'functions-all', settings: { ...allAt(0), streamRuntime: 'functions' } },
    { name: 'web-all', settings: { ...withServer, streamRuntime: 'web', functionUrl: true } },
  ];
}

/** Returns all settings, each with the value at this index of its list, or with the last value. */
function allAt(place: number): Settings {
  const set = entries.filter(([, values]) => values.length > 0);
  return Object.fromEntries(set.map(([name, values]) => [name, values[place] ?? values.at(-1)]));
}

/** Returns each value with only the settings that it requires. */
export function eachValueAlone(): SampleDeployment[] {
  return entries.flatMap(([name, values]) =>
    values.map((value, place) => ({
      name: `${name}-${place}`,
      settings: {
        ...(WITHOUT_SERVER.has(name) ? {} : { streamRuntime: 'web' }),
        ...companions[name],
        [name]: value,
      },
    })),
  );
}
