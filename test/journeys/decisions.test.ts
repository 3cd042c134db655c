import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface Answered {
  id: string;
  model: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any type
  answers: Record<string, any>;
  usage: {
    input_tokens: number;
    input_tokens_details?: { cached_tokens: number };
    output_tokens: number;
    cost?: number;
  };
}

const engines = ['sandbox/judge', 'sandbox/jury', 'sandbox/pundit'];

const weighed = (...weights: number[]) => weights.map((weight, index) => `option ${index} (weight ${weight})`);
const choice = (...weights: number[]) => ({
  type: 'choice',
  instructions: 'Which one?',
  criteria: Object.fromEntries(weighed(...weights).map((text, index) => [`key ${index}`, text])),
});

async function ask(body: object, on = gateway) {
  const response = await post(on, '/decisions', { model: 'sandbox/judge', state: 'A state', ...body });
  return { response, status: response.status, body: (await response.json()) as Answered };
}

describe.each(engines)('decisions of %s', (model) => {
  it('answer each kind of question with probabilities', async () => {
    const questions = {
      topic: choice(6, 3, 1),
      sure: {
        type: 'noul',
        instructions: 'Is it so?',
        criteria: { true: 'it is (weight 4)', false: 'it is not (weight 1)' },
      },
      grade: { type: 'score', instructions: 'How good?', criteria: weighed(1, 2, 5) },
    };

    const { body, status } = await ask({ model, questions });

    expect(status).toBe(200);
    const { topic, sure, grade } = body.answers;
    expect(topic).toMatchObject({ type: 'choice', choice: 'key 0' });
    expect(topic.probabilities['key 0']).toBeCloseTo(0.6, 2);
    expect(topic.probabilities['key 2']).toBeCloseTo(0.1, 2);
    expect(topic.confidence).toBeCloseTo((0.6 - 1 / 3) / (2 / 3), 2);
    expect(sure.noul).toBeCloseTo(0.8, 2);
    expect(grade.score).toBeCloseTo((2 * 1 + 5 * 2) / 8, 2);
    expect(grade.legend).toEqual(Object.fromEntries(weighed(1, 2, 5).entries()));
    expect(grade.score).toBeCloseTo(grade.probabilities['1'] + 2 * grade.probabilities['2'], 2);
  });

  it('have one generation, with its price', async () => {
    const { body } = await ask({ model, questions: { a: choice(2, 1), b: choice(1, 2) } });

    const generation = await finalGeneration(gateway, body.id);

    expect(generation).toMatchObject({ api_type: 'decisions', model, total_cost: body.usage.cost, cancelled: false });
    expect(body.usage.cost).toBeCloseTo((body.usage.input_tokens + body.usage.output_tokens) * 0.0001, 9);
  });

  it('have a pending price if the provider does not report usage, which is settled later', async () => {
    const { response, body } = await ask({
      model,
      state: 'A state\n@sandbox usage=none',
      questions: { a: choice(2, 1) },
    });

    expect(response.headers.get('x-service-billing-status')).toBe('pending');
    expect(body.usage).not.toHaveProperty('cost');
    const generation = await finalGeneration(gateway, body.id);
    const { tokens_prompt, tokens_completion, total_cost } = generation as Record<string, number>;
    expect(generation).toMatchObject({ estimated: true });
    expect(total_cost).toBeCloseTo((tokens_prompt! + tokens_completion!) * 0.0001, 9);
  });
});

describe('tokens that are read from a cache', () => {
  it('are part of the usage, because they have another price', async () => {
    const { body } = await ask({
      state: 'A state\n@sandbox cached=20',
      questions: { a: choice(2, 1), b: choice(1, 2) },
    });

    expect(body.usage.input_tokens_details).toEqual({ cached_tokens: 40 });
    expect(await finalGeneration(gateway, body.id)).toMatchObject({ native_tokens_cached: 40 });
  });

  it('are absent from other answers', async () => {
    const { body } = await ask({ questions: { a: choice(2, 1) } });

    expect(body.usage).not.toHaveProperty('input_tokens_details');
  });
});

describe('next-token probabilities', () => {
  it.each([2, 19, 20, 21, 255])('are correct over %i options', async (count) => {
    const weights = Array.from({ length: count }, (_, index) => 1 + ((index * 7) % 13));
    const sum = weights.reduce((total, weight) => total + weight, 0);

    const { body } = await ask({ questions: { one: choice(...weights) } });

    const { probabilities } = body.answers['one'];
    for (const [index, weight] of weights.entries()) {
      expect(Math.abs(probabilities[`key ${index}`] - weight / sum)).toBeLessThan(0.01);
    }
  });

  it('are correct for any names of options', async () => {
    const keys = ['A', 'AB', 'B', 'Б', 'да', 'да нет', '0', '1', 'yes', '__proto__', 'constructor', '"', '🍵'];
    const criteria = Object.fromEntries(keys.map((key, index) => [key, `(weight ${index + 1})`]));
    const sum = (keys.length * (keys.length + 1)) / 2;
    const text = JSON.stringify({
      model: 'sandbox/judge',
      state: 'A state',
      questions: { one: { type: 'choice', instructions: 'Which?', criteria } },
    });

    const response = await post(gateway, '/systemone', text);

    const { answers } = (await response.json()) as Answered;
    for (const [index, key] of keys.entries()) {
      expect(Math.abs(answers['one'].probabilities[key] - (index + 1) / sum)).toBeLessThan(0.01);
    }
  });

  it('are marked if the model has only stated them', async () => {
    const [measured, stated] = await Promise.all(
      ['sandbox/judge', 'sandbox/pundit'].map((model) => ask({ model, questions: { a: choice(2, 1) } })),
    );
    expect(measured!.body.answers['a']).not.toHaveProperty('stated_by_model');
    expect(stated!.body.answers['a']).toMatchObject({ stated_by_model: true });
  });
});

describe('a request for decisions', () => {
  it('costs nothing if the provider fails', async () => {
    const { response, status } = await ask({
      state: 'A state\n@sandbox error=529',
      questions: { a: choice(2, 1) },
    });

    expect(status).toBe(529);
    const id = response.headers.get('x-generation-id')!;
    expect(await finalGeneration(gateway, id)).toMatchObject({
      total_cost: 0,
      ending: 'refused_before',
      provider_responses: [{ status: 529 }],
    });
  });

  const noul = { type: 'noul', instructions: 'Is it?' };
  const invalid: [string, object, string][] = [
    ['no questions', { questions: {} }, 'questions'],
    ['a question of no type', { questions: { q: { instructions: 'x' } } }, 'questions.q.type'],
    ['a question without instructions', { questions: { good: noul, q: { type: 'noul' } } }, 'questions.q.instructions'],
    ['one option', { questions: { q: choice(1) } }, 'questions.q.criteria'],
    ['256 options', { questions: { q: choice(...Array.from({ length: 256 }, () => 1)) } }, 'questions.q.criteria'],
    [
      'an option twice',
      { questions: { q: { ...choice(1, 2), criteria: { Yes: null, ' yes': null } } } },
      'questions.q.criteria',
    ],
    [
      'a criterion twice',
      { questions: { q: { type: 'score', instructions: 'x', criteria: ['a', 'a'] } } },
      'questions.q.criteria',
    ],
    [
      'half of a yes and no',
      { questions: { q: { ...noul, criteria: { true: 'it is' } } } },
      'questions.q.criteria.false',
    ],
    ['a number for a state', { state: 7, questions: { q: noul } }, 'state'],
    [
      'a state that is too long to be repeated for every question',
      {
        state: 'a'.repeat(1_000_000),
        questions: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`q${index}`, noul])),
      },
      'state',
    ],
    ['an unknown field', { questions: { q: noul }, stream: true }, 'request'],
    ['a model with web search', { model: 'sandbox/judge:online', questions: { q: noul } }, 'model'],
    ['a model that writes text', { model: 'sandbox/claude', questions: { q: noul } }, 'model'],
  ];
  it.each(invalid)('with %s is refused by the name of question and field', async (_, body, field) => {
    const { status, body: refusal } = await ask(body);
    expect(status).toBe(400);
    expect(refusal).toMatchObject({
      error: { metadata: { field: field === 'request' ? (expect.anything() as string) : field } },
    });
  });

  it('may have 128 questions, and a state of any JSON', async () => {
    const questions = Object.fromEntries(Array.from({ length: 128 }, (_, index) => [`q${index}`, choice(3, 1)]));
    const { body } = await ask({ state: { text: ['A', 'state'] }, questions });
    expect(Object.keys(body.answers)).toHaveLength(128);
    expect(await finalGeneration(gateway, body.id)).toMatchObject({ total_cost: body.usage.cost });
  });

  it('keeps the digits of its numbers', async () => {
    const criteria = '[{"more than": 12345678901234567890}, {"at most": 1e400}]';
    const question = `{"type": "score", "instructions": "How much?", "criteria": ${criteria}}`;
    const response = await post(
      gateway,
      '/decisions',
      `{"model": "sandbox/judge", "state": "A state", "questions": {"q": ${question}}}`,
    );

    const { answers } = (await response.json()) as Answered;

    expect(answers['q'].legend).toEqual({ 0: '{"more than":12345678901234567890}', 1: '{"at most":1e400}' });
  });

  it('is refused by a limit that it might exceed, and leaves no hold', async () => {
    const created = await manage(gateway, 'POST', '/keys', { name: 'poor', limit: 1 });
    const poor = { ...gateway, key: (created.body as { key: string }).key };
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`q${index}`, choice(1, 1)]));

    expect((await ask({ questions: many }, poor)).status).toBe(402);
    const { body } = await ask({ questions: { q: choice(1, 1) } }, poor);

    await finalGeneration(poor, body.id);
    const { data } = (await (await get(poor, '/key')).json()) as { data: Record<string, number> };
    expect(data['usage']).toBe(body.usage.cost);
    expect(data['limit_remaining']! + data['usage']!).toBeCloseTo(1, 9);
  });

  const email = 'Write to ivan@mail.example';
  it.each([
    ['questions.q.criteria.a', { ...choice(1, 1), criteria: { a: email, b: null } }],
    ['questions.q.criteria.true', { type: 'noul', instructions: 'Good?', criteria: { true: email, false: 'No.' } }],
    ['questions.q.criteria.false', { type: 'noul', instructions: 'Good?', criteria: { true: 'Yes.', false: email } }],
    ['questions.q.criteria.1', { type: 'score', instructions: 'Good?', criteria: ['Bad.', email] }],
  ])('is refused with the name of its field, %s, if it has a value that the key blocks', async (field, question) => {
    const sensitive_data = { enabled: true, action: 'block', categories: ['email'] };
    const created = await manage(gateway, 'POST', '/keys', { name: 'careful', sensitive_data });
    const careful = { ...gateway, key: (created.body as { key: string }).key };

    const { status, body } = await ask({ questions: { q: question } }, careful);

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { metadata: { field, category: 'email' } } });
  });
});
