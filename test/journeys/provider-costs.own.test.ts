/** Costs that providers charge: recorded next to the client's charges, and compared with reports of providers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatalogFiles } from '../../lambdas/catalog/catalog.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { RecordedUsage } from '../../lib/admin/provider-costs/compare-usage.ts';
import { adminHere } from '../support/admin.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';

const pricing = { prompt: '0.001', completion: '0.003' };
const endpoint = { provider: 'sandbox-anthropic', upstream_model: 'claude', pricing };

let catalog: CatalogDirectory;
let directory: string;
let gateway: RunningGateway;
let used: { input: number; output: number };
beforeAll(async () => {
  catalog = catalogDirectory([
    textModel('test/bought', [{ ...endpoint, service_cost: { prompt: '0.0004', completion: '0.002' } }]),
    textModel('test/unknown', [endpoint]),
    textModel('test/dearer', [{ ...endpoint, pricing: { prompt: '0.01', completion: '0.02' } }]),
    textModel('test/short', [{ ...endpoint, context_length: 1, max_output_tokens: 1 }]),
  ]);
  directory = mkdtempSync(join(tmpdir(), 'gateway-purchases-'));
  gateway = await startGateway({ args: ['--data', directory, '--catalog', catalog.path] });
  used = { input: 0, output: 0 };
  for (const [index, model] of ['test/bought', 'test/bought', 'test/unknown'].entries()) {
    const answer = await post(gateway, '/messages', {
      model,
      max_tokens: 10 + index,
      messages: [said('Hi', 'delay=0')],
    });
    const { id } = (await answer.json()) as { id: string };
    const { tokens_prompt: input, tokens_completion: output } = await finalGeneration(gateway, id);
    used.input += Number(input);
    used.output += Number(output);
  }
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
  catalog.remove();
});

const run = (...args: string[]) => adminHere(directory, ...args);

interface Margin {
  requests: number;
  charged_rub: string;
  service_cost_rub: string;
  margin_rub: string;
  unknown: number;
}

describe('the margin', () => {
  it('is the charges less the service costs, by model, if the costs are known', async () => {
    const { out } = await run('--json', 'margin', '--by', 'model');
    const { rows, total } = JSON.parse(out) as { rows: (Margin & { model: string })[]; total: Margin };
    const [bought, unknown] = [rows[0]!, rows[1]!];

    expect(rows.map(({ model, requests, unknown: count }) => [model, requests, count])).toEqual([
      ['test/bought', 2, 0],
      ['test/unknown', 1, 1],
    ]);
    expect(Money.parse(bought.charged_rub).minus(Money.parse(bought.service_cost_rub)).toString()).toBe(
      bought.margin_rub,
    );
    expect(Money.parse(bought.service_cost_rub).isZero).toBe(false);
    expect(unknown).toMatchObject({ charged_rub: '0', service_cost_rub: '0', margin_rub: '0' });
    expect(total.margin_rub).toBe(bought.margin_rub);
  });

  it('comes with the number of requests whose cost is unknown', async () => {
    const { out } = await run('margin');
    expect(out).toMatch(/The service cost of 1 requests is unknown/);
  });

  it('is not visible to clients', async () => {
    const models = await (await get(gateway, '/models')).text();
    const endpoints = await (await get(gateway, '/models/test/bought/endpoints')).text();
    expect(models + endpoints).not.toMatch(/service_cost|0\.0004/);
  });
});

const costOf = (prompt: string, completion: string) =>
  Money.parse(prompt).times(used.input).plus(Money.parse(completion).times(used.output)).toString();

describe('a comparison with another model', () => {
  interface WhatIf {
    endpoint_id: string;
    requests: number;
    charged_rub: string;
    would_cost_rub: string;
    difference_rub: string;
    unanswerable: number;
  }
  const whatIf = async (...args: string[]) => {
    const { out, err } = await run('--json', 'what-if', '--catalog', catalog.path, '--days', '1', ...args);
    expect(err).toBe('');
    return (JSON.parse(out) as { rows: WhatIf[] }).rows;
  };

  it('has the cost of the same usage at that model, and the same cost for the same model', async () => {
    const [same, dearer] = await whatIf('--model', 'test/bought', 'test/dearer');
    expect(same).toMatchObject({ requests: 3, would_cost_rub: costOf('0.001', '0.003'), difference_rub: '0' });
    expect(dearer).toMatchObject({ requests: 3, would_cost_rub: costOf('0.01', '0.02'), unanswerable: 0 });
    expect(dearer!.charged_rub).toBe(same!.would_cost_rub);
  });

  it('may be limited to the answers of one model', async () => {
    const rows = await whatIf('--model', 'test/dearer', '--of', 'test/unknown');

    expect(rows).toMatchObject([{ endpoint_id: 'test/dearer/0', requests: 1 }]);
  });

  it('excludes requests that the model could not have answered', async () => {
    const rows = await whatIf('--model', 'test/short');

    expect(rows).toMatchObject([{ requests: 0, charged_rub: '0', would_cost_rub: '0', unanswerable: 3 }]);
  });

  it('is refused for an unknown model', async () => {
    const { err, code } = await run('what-if', '--catalog', catalog.path, '--model', 'test/none');

    expect([code, err]).toEqual([1, expect.stringContaining('The catalog has no model "test/none"')]);
  });
});

async function compared(report: unknown, format: string, ...more: string[]) {
  const file = join(directory, 'report');
  writeFileSync(file, typeof report === 'string' ? report : JSON.stringify(report));
  const args = ['invoice', file, '--provider', 'sandbox-anthropic', '--catalog', catalog.path, '--format', format];
  return run('--json', ...args, ...more);
}

const today = utcDate(Date.now());

const line = (usageType: string, amount: string, more: Record<string, string> = {}): Record<string, string> => ({
  line_item_line_item_type: 'Usage',
  line_item_usage_type: usageType,
  line_item_usage_start_date: `${today}T03:00:00.000Z`,
  line_item_usage_end_date: `${today}T04:00:00.000Z`,
  line_item_usage_amount: amount,
  pricing_unit: '1K tokens',
  ...more,
});
const csv = (...lines: Record<string, string>[]) =>
  [Object.keys(lines[0]!), ...lines.map((cells) => Object.values(cells))].map((cells) => cells.join(',')).join('\n');

const anthropic = (more: object = {}) => ({
  data: [
    {
      starting_at: `${today}T00:00:00Z`,
      ending_at: `${today}T23:59:59Z`,
      results: [
        {
          model: 'claude-20261120',
          uncached_input_tokens: used.input,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
          cache_read_input_tokens: 0,
          output_tokens: used.output,
          server_tool_use: { web_search_requests: 0 },
          ...more,
        },
      ],
    },
  ],
  has_more: false,
  next_page: null,
});

/** Returns report lines with the used tokens, and lines that do not count as usage. */
const whole = () => [
  line('USE1-Claude4.6Sonnet-input-tokens', String((used.input - 1) / 1_000)),
  line('Claude4.6Sonnet-mantle-input-tokens-flex', '0.001'),
  line('EUC1-Claude4.6Sonnet-output-tokens-cross-region-global', String(used.output), { pricing_unit: 'Tokens' }),
  line('USE1-Claude4.6Sonnet-output-tokens', '7', { line_item_line_item_type: 'Credit' }),
  line('USE1-DataTransfer-Out-Bytes', '7', { pricing_unit: 'GB' }),
];

describe("a provider's report of usage", () => {
  it('of Anthropic agrees with the records, also by the name of a snapshot', async () => {
    const { out, code } = await compared(anthropic(), 'anthropic');
    expect(JSON.parse(out)).toMatchObject({ agrees: true, days: 1, compared: 5, rows: [] });
    expect(code).toBe(0);
  });

  it('is reported as different by day, model and meter', async () => {
    const { out, code } = await compared(anthropic({ output_tokens: used.output + 7 }), 'anthropic');
    expect(JSON.parse(out)).toMatchObject({
      agrees: false,
      rows: [{ date: today, model: 'claude', meter: 'output', records: used.output, difference: 7 }],
    });
    expect(code).toBe(1);
  });

  it('of OpenAI is read as well, with cached tokens in its input', async () => {
    const result = {
      model: 'claude',
      input_tokens: used.input + 5,
      input_cached_tokens: 5,
      output_tokens: used.output,
    };
    const bucket = { start_time: Date.parse(today) / 1_000, results: [{ ...result, num_model_requests: 3 }] };
    const { out } = await compared(
      [
        { data: [bucket], has_more: true },
        { data: [], has_more: false },
      ],
      'openai',
    );
    expect(JSON.parse(out)).toMatchObject({ agrees: false, rows: [{ meter: 'cache_read', provider: 5, records: 0 }] });
  });

  it('of any other provider is a CSV', async () => {
    const { out } = await compared(
      `date,model,input,output\n${today},claude,${used.input},${used.output}\n`,
      'csv',
      '--all',
    );
    expect(JSON.parse(out)).toMatchObject({ agrees: true, rows: [{ meter: 'input' }, { meter: 'output' }] });
  });

  describe("from AWS's costs and usage", () => {
    it('agrees with the records if the names of models are given', async () => {
      const { out } = await compared(csv(...whole()), 'cur', '--as', 'Claude4.6Sonnet=claude', '--all');

      expect(JSON.parse(out)).toMatchObject({
        agrees: true,
        rows: [
          { date: today, model: 'claude', meter: 'input', provider: used.input },
          { date: today, model: 'claude', meter: 'output', provider: used.output },
        ],
      });
    });

    it('has an unmapped name as a separate model', async () => {
      const { out, code } = await compared(csv(...whole()), 'cur');

      expect(JSON.parse(out)).toMatchObject({ rows: [{ model: 'Claude4.6Sonnet', records: 0 }, {}, {}, {}] });
      expect(code).toBe(1);
    });

    it('has cache reads and cache writes', async () => {
      const cached = [
        line('USE1-Claude4.6Sonnet-cache-read-input-token-count', '0.2'),
        line('USE1-Claude4.6Sonnet-cache-write-input-token-count', '0.000003', { pricing_unit: '1M tokens' }),
      ];
      const { out } = await compared(csv(...whole(), ...cached), 'cur', '--as', 'claude=Claude4.6Sonnet');

      expect(JSON.parse(out)).toMatchObject({
        rows: [
          { model: 'Claude4.6Sonnet', meter: 'cache_read', provider: 200, records: 0 },
          { model: 'Claude4.6Sonnet', meter: 'cache_write', provider: 3, records: 0 },
        ],
      });
    });

    it('may be gzipped, and have the column names of the legacy report', async () => {
      const file = join(directory, 'report.csv.gz');
      const legacy = csv(...whole()).replace(/^.*$/m, (header) =>
        header
          .replaceAll('line_item_line_item_type', 'lineItem/LineItemType')
          .replaceAll(
            /line_item_usage_(start|end)_date/g,
            (_, side: string) => `lineItem/Usage${side === 'start' ? 'Start' : 'End'}Date`,
          )
          .replace('line_item_usage_type', 'lineItem/UsageType')
          .replace('line_item_usage_amount', 'lineItem/UsageAmount')
          .replace('pricing_unit', 'pricing/unit'),
      );
      writeFileSync(file, gzipSync(legacy));
      const provider = ['--provider', 'sandbox-anthropic', '--catalog', catalog.path];
      const { out } = await run(
        '--json',
        'invoice',
        file,
        ...provider,
        '--format',
        'cur',
        '--as',
        'Claude4.6Sonnet=claude',
      );

      expect(JSON.parse(out)).toMatchObject({ agrees: true, compared: 2 });
    });

    it.each([
      [{ pricing_unit: 'Quarts' }, /line 2: the unit "Quarts" is unknown. Known units: tokens/],
      [{ line_item_usage_amount: 'many' }, /line 2: "many" is not a valid amount/],
      [{ line_item_usage_amount: '-1' }, /"-1" is not a valid amount/],
      [{ line_item_usage_start_date: 'soon' }, /"soon" is not a valid time/],
      [{ line_item_usage_start_date: '2026-01-01T00:00:00Z' }, /more than a day\. Export the report by hour or by day/],
    ])('is refused with the line number for %j', async (cells, words) => {
      const { err, code } = await compared(csv(line('USE1-Nova-input-tokens', '1', cells)), 'cur');

      expect([code, err]).toEqual([1, expect.stringMatching(words)]);
    });

    it('is refused without a required column', async () => {
      const { err } = await compared('line_item_line_item_type\nUsage\n', 'cur');

      expect(err).toMatch(/line 2: the report has no column line_item_usage_type/);
    });
  });

  it('without cache lifetimes has all cache writes in one count', () => {
    const counted = new RecordedUsage(
      { models: [], providers: [{ id: 'one', name: 'One' }] } as unknown as CatalogFiles,
      'one',
    );
    const written = { promptTokens: 100, completionTokens: 1, cacheWrite5mTokens: 20, cacheWrite1hTokens: 30 };
    const outcome = { providerName: 'One', endpointId: 'model', rounds: [], ...written };
    counted.add({ state: 'final', outcome } as unknown as Generation, today);
    const told = (usage: object) =>
      counted.compared([{ date: today, model: 'model', usage }]).map(({ meter, records }) => [meter, records]);

    expect(told({ input: 0, cache_write: 0, cache_write_1h: 0 })).toEqual([
      ['input', 50],
      ['cache_write', 20],
      ['cache_write_1h', 30],
    ]);
    expect(told({ input: 0, cache_write: 0 })).toEqual([
      ['input', 50],
      ['cache_write', 50],
    ]);
    expect(told({ input: 0 })).toEqual([['input', 100]]);
  });

  it('has a row for each model that only the report or only the records contain', async () => {
    const { out } = await compared(`date,model,output\n${today},another,4\n`, 'csv');
    expect(JSON.parse(out)).toMatchObject({
      rows: [
        { model: 'another', provider: 4, records: 0 },
        { model: 'claude', provider: 0, records: used.output },
      ],
    });
  });

  it.each([
    ['anthropic', '{', /The report is not JSON/],
    ['anthropic', { data: [{ starting_at: 'soon', results: [] }] }, /The report is invalid: .*page of the usage API/],
    ['anthropic', { data: [], has_more: true }, /has_more is true on the last page/],
    [
      'openai',
      { data: [{ start_time: 0, results: [{ model: null }] }] },
      /The report is invalid: .*page of the usage API/,
    ],
    ['csv', 'date,model,colour\n2026-10-01,a,1\n', /The report is invalid: .*"colour"/],
    ['csv', 'date,model,output\n2026-10-01,a,-1\n', /0: output/],
    ['csv', 'date,model,output\n', /contains no days/],
  ])('as %s with an invalid content is refused: %j', async (format, report, words) => {
    const { err, code } = await compared(report, format);
    expect(err).toMatch(words);
    expect(code).toBe(1);
  });

  it('of an unknown provider is refused', async () => {
    const file = join(directory, 'report');
    writeFileSync(file, 'date,model,output\n2026-10-01,a,1\n');
    const { err } = await run('invoice', file, '--provider', 'nobody', '--catalog', catalog.path, '--format', 'csv');
    expect(err).toMatch(/no provider "nobody". List providers with/);
  });
});
