import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../drills/deploy/cdk.ts';
import type { EmulatedTemplate } from '../drills/deploy/emulated-template.ts';
import { fitTemplate } from '../drills/deploy/emulated-templates.ts';
import { findMiniStack, startMiniStack } from '../drills/deploy/ministack.ts';
import { hasAllPackagesOf, lastReleaseOf } from '../drills/deploy/release.ts';
import { lineOf, Reporter, summaryOf } from '../drills/deploy/report.ts';
import { runDeployDrill } from '../drills/deploy/run.ts';
import { serverOf } from '../drills/deploy/server-outputs.ts';
import { reportChange } from '../drills/deploy/traffic.ts';
import { arrivedInOnePiece } from '../drills/deploy/smoke.ts';
import { projectDirectory } from '../../lib/shared/project-directory.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'deploy-drill-test-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function fit(Resources: EmulatedTemplate['Resources'], more: Partial<EmulatedTemplate> = {}) {
  const gaps: string[] = [];
  const template = fitTemplate({ Resources, ...more }, (gap) => gaps.push(gap));
  return { template, gaps };
}

describe('the deployment drill without MiniStack', () => {
  it('prints that it was skipped, and ends with exit code 0', async () => {
    const program = ['test/drills/main.ts', 'deploy'];

    const output = await runProgram(program, { cwd: projectDirectory, env: { PATH: directory } });

    expect(output).toMatch(/^Skipped: MiniStack is not installed/);
    expect(output).toContain('pip install');
  });

  it('reports the skip in JSON too', async () => {
    const program = ['test/drills/main.ts', 'deploy', '--json'];

    const output = await runProgram(program, { cwd: projectDirectory, env: { PATH: directory } });

    expect(JSON.parse(output)).toEqual({ skipped: true });
  });

  it.each([
    [['--shape', 'round'], /--shape must be functions, web or both/],
    [['--ministack', '/nowhere/ministack'], /does not exist/],
    [['--loud'], /Unknown option/],
  ])('refuses wrong arguments: %j', async (args, words) => {
    await expect(runDeployDrill(args)).rejects.toThrow(words);
  });

  it('finds the program in a directory of PATH', () => {
    writeFileSync(join(directory, 'ministack'), '');

    expect(findMiniStack(undefined, `/nowhere:${directory}`)).toBe(join(directory, 'ministack'));
    expect(findMiniStack(undefined, '/nowhere')).toBeUndefined();
  });
});

describe('a MiniStack that does not start', () => {
  it('is reported with the end of its output, and leaves no process running', async () => {
    const program = join(directory, 'ministack');
    writeFileSync(program, `#!/bin/sh\necho "no port"\nsleep 300 &\necho $! > ${join(directory, 'child')}\nexit 3\n`);
    chmodSync(program, 0o755);

    await expect(startMiniStack(program, join(directory, 'state'), {})).rejects.toThrow(
      /did not start. The end of its log: no port/,
    );

    const child = Number(readFileSync(join(directory, 'child'), 'utf8'));
    await eventually(() => expect(() => process.kill(child, 0)).toThrow());
  });
});

describe('a deployment drill that is stopped', () => {
  it('stops the emulator and removes its directory, even if the signal comes twice', async () => {
    const program = join(directory, 'ministack');
    writeFileSync(program, `#!/bin/sh\necho $$ > ${join(directory, 'emulator')}\nsleep 300\n`);
    chmodSync(program, 0o755);
    const drill = spawn(process.execPath, ['test/drills/main.ts', 'deploy', '--ministack', program], {
      cwd: projectDirectory,
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: directory },
    });
    const emulator = await eventually(() => {
      const id = Number(readFileSync(join(directory, 'emulator'), 'utf8'));
      expect(id).toBeGreaterThan(1);
      return id;
    });
    expect(readdirSync(directory).some((name) => name.startsWith('gateway-deploy-drill-'))).toBe(true);

    drill.kill('SIGTERM');
    drill.kill('SIGTERM');
    await once(drill, 'exit');

    expect(readdirSync(directory).some((name) => name.startsWith('gateway-deploy-drill-'))).toBe(false);
    await eventually(() => expect(() => process.kill(emulator, 0)).toThrow());
  });
});

describe('templates for the emulator', () => {
  it('omit resources that the emulator lacks, and resources that depend on them', () => {
    const { template, gaps } = fit({
      Changes: { Type: 'AWS::CodeDeploy::Application' },
      Topic: { Type: 'AWS::SNS::Topic', DependsOn: ['Changes', 'Other'] },
      Other: { Type: 'AWS::SNS::Topic', DependsOn: 'Changes' },
    });

    expect(template.Resources).toEqual({
      Topic: { Type: 'AWS::SNS::Topic', DependsOn: ['Other'] },
      Other: { Type: 'AWS::SNS::Topic' },
    });
    expect(gaps).toEqual(['shift traffic gradually to new code (CodeDeploy)']);
  });

  it('omit alarms of metric math, and keep other alarms', () => {
    const plain = { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } };

    const { template } = fit({ Math: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [] } }, Plain: plain });

    expect(template.Resources).toEqual({ Plain: plain });
  });

  it('invoke streamed functions without streaming', () => {
    const Uri = {
      'Fn::Join': ['', ['arn:x:lambda:path/2021-11-15/functions/', { Ref: 'F' }, '/response-streaming-invocations']],
    };
    const Integration = { ResponseTransferMode: 'STREAM', TimeoutInMillis: 900_000, Uri };

    const { template, gaps } = fit({
      Method: { Type: 'AWS::ApiGateway::Method', Properties: { Integration } },
      Url: { Type: 'AWS::Lambda::Url', Properties: { InvokeMode: 'RESPONSE_STREAM' } },
    });

    expect(template.Resources['Method']!.Properties!['Integration']).toEqual({
      TimeoutInMillis: 29_000,
      Uri: { 'Fn::Join': ['', ['arn:x:lambda:path/2015-03-31/functions/', { Ref: 'F' }, '/invocations']] },
    });
    expect(template.Resources['Url']!.Properties).toEqual({ InvokeMode: 'BUFFERED' });
    expect(new Set(gaps).size).toBe(1);
  });

  it('refer to secrets by their ARN, and grant batches of messages', () => {
    const statement = { Action: 'sqs:SendMessage', Resource: { Ref: 'Pepper' } };

    const { template } = fit({
      Pepper: { Type: 'AWS::SecretsManager::Secret' },
      Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ Statement: [statement] }] } },
    });

    expect(template.Resources['Role']!.Properties).toEqual({
      Policies: [
        {
          Statement: [
            { Action: ['sqs:SendMessage', 'sqs:SendMessageBatch'], Resource: { 'Fn::GetAtt': ['Pepper', 'Id'] } },
          ],
        },
      ],
    });
  });

  it('grant all items of the table, because the emulator ignores leading keys, and report it', () => {
    const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['KEY#*'] } };
    const other = { Action: 'kms:Sign', Resource: 'k', Condition: { StringEquals: { 'kms:ViaService': 's' } } };
    const statement = { Action: 'dynamodb:PutItem', Resource: 't' };

    const { template, gaps } = fit({
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: { Policies: [{ Statement: [{ ...statement, Condition }, other] }] },
      },
    });

    expect(template.Resources['Role']!.Properties).toEqual({ Policies: [{ Statement: [statement, other] }] });
    expect(gaps).toEqual([expect.stringContaining('dynamodb:LeadingKeys')]);
  });

  it('pass on the variables and the role of a server that is not deployed', () => {
    const ServiceConfig = {
      EnvironmentVariables: { TABLE_NAME: { Ref: 'Table' }, MODE: 'a=b' },
      ExecutionRoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
    };

    const { template } = fit(
      {
        Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: { Statement: [] } } },
        Revision: { Type: 'AWS::Lambda::WebFunctionRevision', Properties: { ServiceConfig } },
      },
      { Outputs: { Domain: { Value: { 'Fn::GetAtt': ['WebFunctionEndpoint', 'DomainName'] } } } },
    );

    expect(Object.keys(template.Resources)).toEqual(['Role']);
    expect(template.Outputs).toEqual({
      Domain: { Value: 'not-in-the-emulator' },
      DrillServerVariables: {
        Value: { 'Fn::Join': ['', ['TABLE_NAME=', { Ref: 'Table' }, '\n', 'MODE=', 'a=b', '\n']] },
      },
      DrillServerRole: { Value: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    });
    const outputs: Record<string, string> = {
      DrillServerVariables: 'TABLE_NAME=t\nMODE=a=b\n',
      DrillServerRole: 'arn',
    };
    expect(serverOf((name) => outputs[name])).toEqual({ role: 'arn', variables: { TABLE_NAME: 't', MODE: 'a=b' } });
  });
});

describe('a streamed handler in the emulator', () => {
  it('returns its head and its whole body', async () => {
    createRequire(import.meta.url)('../drills/deploy/streamed-handlers.cjs');
    const { streamifyResponse, HttpResponseStream } = (globalThis as unknown as { awslambda: Streaming }).awslambda;
    const handler = streamifyResponse(async (_event, response) => {
      const body = HttpResponseStream.from(response, { statusCode: 201, headers: { 'content-type': 'text/plain' } });
      body.write('При');
      await sleep(1);
      body.end('вет');
    });

    expect(await handler({}, {})).toEqual({
      statusCode: 201,
      headers: { 'content-type': 'text/plain' },
      body: 'Привет',
    });
  });
});

interface Streaming {
  streamifyResponse: (
    handler: (event: unknown, response: Writable, context: unknown) => Promise<void>,
  ) => (event: unknown, context: unknown) => Promise<unknown>;
  HttpResponseStream: { from: (response: Writable, head: object) => Writable };
}

describe('the last release', () => {
  it('is the first version with a date', () => {
    expect(lastReleaseOf('## [Unreleased]\n\n## [0.3.0] - 2026-12-01\n\n## [0.2.0] - 2026-11-23\n')).toBe('0.3.0');
    expect(lastReleaseOf('## [Unreleased]\n')).toBeUndefined();
  });

  it('runs on the packages of this project only if they have the same versions', () => {
    const wanted = { '': {}, 'node_modules/a': { version: '1.0.0' } };

    expect(hasAllPackagesOf(wanted, { ...wanted, 'node_modules/b': { version: '1.0.0' } })).toBe(true);
    expect(hasAllPackagesOf(wanted, { 'node_modules/a': { version: '1.0.1' } })).toBe(false);
  });
});

describe('requests during a change of the deployment', () => {
  const answered = { status: 200, costRub: 0.04 };

  it('count as a gap if the emulator ended them', () => {
    const reporter = new Reporter(() => {});

    const killed = reportChange(reporter, 'requests', [
      answered,
      { status: 502, costRub: undefined, failure: '{"message": "Worker process died"}' },
    ]);

    expect(killed).toBe(1);
    expect(reporter.steps.map(({ result }) => result)).toEqual(['ok', 'not possible in the emulator']);
  });

  it('fail the drill for any other answer', () => {
    const reporter = new Reporter(() => {});

    reportChange(reporter, 'requests', [answered, { status: 502, costRub: undefined, failure: 'no provider' }]);

    expect(reporter.steps.map(({ result }) => result)).toEqual(['FAILED']);
  });
});

describe('the report of a deployment drill', () => {
  it('has a line for each step, and distinguishes failures from gaps of the emulator', async () => {
    const reporter = new Reporter(() => {});

    const isRight = await reporter.during('new', async () => {
      reporter.done('deploy', true, 'three stacks');
      reporter.notPossible('streams', 'one piece');
    });
    const isWrong = await reporter.during('upgrade', () => Promise.reject(new Error('no table')));

    expect([isRight, isWrong]).toEqual([true, false]);
    expect(reporter.steps.map((step) => lineOf({ ...step, seconds: 1 }))).toEqual([
      'ok      new: deploy: three stacks (1 s)',
      'not possible in the emulator  new: streams: one piece (1 s)',
      'FAILED  upgrade: the phase: no table (1 s)',
    ]);
    expect(summaryOf(reporter)).toContain('1 ok, 1 failed, 1 not possible in the emulator');
    expect(summaryOf(reporter)).toContain('At least one step FAILED.');
  });

  it('accepts only a complete and correct stream as one that arrived in one piece', () => {
    const failed = { check: 'streams', result: 'failed' } as const;

    expect(arrivedInOnePiece({ ...failed, says: 'all 24 events arrived at once, after 40 ms: something' })).toBe(true);
    expect(arrivedInOnePiece({ ...failed, says: 'ends with nothing' })).toBe(false);
  });
});
