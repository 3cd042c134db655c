import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { normalised } from '../../lambdas/decisions/distribution.ts';
import { calibrate } from '../../lib/admin/calibration/calibrate.ts';
import { fitTemperature, surprise } from '../../lib/admin/calibration/fit.ts';
import { labelledQuestions } from '../../lib/admin/calibration/questions.ts';
import { startSandbox, type SandboxUpstream } from '../../lib/local/sandbox/server.ts';

let sandbox: SandboxUpstream;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

describe('the temperature of a model', () => {
  it.each([0.5, 1, 2, 3])('is found if the model raises the true probabilities to the power of %f', (sureness) => {
    const truths = [
      [6, 3, 1],
      [1, 1],
      [9, 1],
      [2, 5, 3, 1],
    ].map(normalised);
    const samples = truths.map((truth) => ({
      truth,
      probabilities: normalised(truth.map((probability) => probability ** sureness)),
    }));

    const temperature = fitTemperature(samples);

    expect(temperature).toBeCloseTo(sureness, 3);
    expect(surprise(samples, temperature)).toBeLessThanOrEqual(surprise(samples, 1) + 1e-12);
  });

  it('is computed from the answers to questions with known answers', async () => {
    process.env['GATEWAY_SANDBOX_CHAT_URL'] = sandbox.chatUrl;

    const found = await calibrate(loadCatalog(), 'sandbox/judge');

    delete process.env['GATEWAY_SANDBOX_CHAT_URL'];
    expect(found).toMatchObject({ endpoint: 'sandbox/judge', questions: labelledQuestions.length });
    expect(found.surprise_after).toBeLessThanOrEqual(found.surprise_before);
  });
});
