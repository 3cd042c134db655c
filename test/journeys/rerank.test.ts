import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface Reranked {
  id: string;
  results: { index: number; relevance_score: number; document?: { text: string } }[];
  usage: { search_units?: number; total_tokens?: number; cost?: number };
  error: { code: number; message: string; param: string };
}

const query = 'where is my parcel';
const documents = ['Our office is closed.', 'My parcel is late.', { text: 'Where is my parcel today?' }];
const texts = documents.map((document) => (typeof document === 'string' ? document : document.text));

async function rerank(body: object = {}, key = gateway.key) {
  const request = { model: 'sandbox/ranker', query, documents, ...body };
  const response = await post(gateway, '/rerank', request, { 'x-api-key': key });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reranked };
}

async function keyWith(settings: object): Promise<string> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'rerank', ...settings });
  return (body as { key: string }).key;
}

const models = ['sandbox/ranker', 'sandbox/unit-ranker', 'sandbox/bedrock-ranker'];

describe.each(models)('a rank by %s', (model) => {
  it('has the documents in the order of their scores', async () => {
    const { body } = await rerank({ model });

    expect(body.results).toEqual([
      { index: 2, relevance_score: 1, document: { text: texts[2] } },
      { index: 1, relevance_score: 0.75, document: { text: texts[1] } },
      { index: 0, relevance_score: 0.25, document: { text: texts[0] } },
    ]);
  });

  it.each([{ top_n: 2 }, { top_k: 2 }, { top_n: 2, top_k: 2 }])(
    'has as many results as requested: %j',
    async (more) => {
      const { body } = await rerank({ model, ...more });

      expect(body.results.map(({ index }) => index)).toEqual([2, 1]);
    },
  );

  it.each([{ top_k: 2, truncation: true }, { top_k: 2 }, { top_k: null, truncation: true }])(
    'has the fields that clients of Voyage read: %j',
    async (more) => {
      const { body } = await rerank({ model, ...more });
      const units = await rerank({ model: 'sandbox/unit-ranker', ...more });

      const read = body.results.map(({ index, relevance_score }) => ({ index, relevance_score }));
      expect(body).toMatchObject({ data: read, usage: { total_tokens: expect.any(Number) } });
      expect(units.body).toMatchObject({ usage: { search_units: 1, total_tokens: 0 } });
      expect((await rerank({ model })).body).not.toHaveProperty('data');
    },
  );

  it('compares the fields of a document that rank_fields names, else its text', async () => {
    const structured = [
      { id: 7, title: 'where is my parcel', text: 'closed' },
      { id: 8, title: 'closed', text: 'where is my parcel' },
    ];
    const first = async (more: object) => (await rerank({ model, documents: structured, ...more })).body.results[0];

    expect(await first({})).toMatchObject({ index: 1, document: { text: 'where is my parcel' } });
    expect(await first({ rank_fields: ['title'] })).toMatchObject({ index: 0 });
    expect(await first({ rank_fields: ['title', 'text'], top_n: 1 })).toMatchObject({
      document: { text: expect.stringMatching(/^title: .*\ntext: .*$/) as string },
    });
  });

  it('has all documents if more are requested, and no texts without return_documents', async () => {
    const { body } = await rerank({ model, top_n: 900, return_documents: false });

    expect(body.results).toHaveLength(3);
    expect(body.results[0]).toEqual({ index: 2, relevance_score: 1 });
  });

  it.each(['error=503', 'garbage', 'null', 'break'])('costs nothing if its provider fails: %s', async (fault) => {
    const { status, headers, body } = await rerank({ model, query: `${query}\n@sandbox ${fault}` });

    expect([502, 503, 529]).toContain(status);
    expect(body.error.message).toMatch(/\w/);
    const generation = await finalGeneration(gateway, headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ api_type: 'rerank', total_cost: 0 });
  });

  it('waits for a slow provider', async () => {
    const { status } = await rerank({ model, query: `${query}\n@sandbox first=1500` });

    expect(status).toBe(200);
  });
});

describe('the price of a rank', () => {
  it('is its tokens, with the query for each document, and the fee of the request', async () => {
    const { body } = await rerank();

    const tokens = 3 * Math.ceil(query.length / 4) + texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    expect(body.usage).toEqual({ total_tokens: tokens, cost: expect.closeTo(0.1 + tokens * 0.00002, 12) as number });
    expect(await finalGeneration(gateway, body.id)).toMatchObject({
      api_type: 'rerank',
      model: 'sandbox/ranker',
      tokens_prompt: tokens,
      tokens_completion: 0,
      total_cost: body.usage.cost,
      finish_reason: 'stop',
      streamed: false,
    });
  });

  it('is its search units, one for each hundred documents', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `parcel ${index}`);

    const { body } = await rerank({ model: 'sandbox/unit-ranker', documents: many });

    expect(body.usage).toEqual({ search_units: 3, cost: expect.closeTo(0.6, 12) as number });
    expect(await finalGeneration(gateway, body.id)).toMatchObject({ total_cost: 0.6, tokens_prompt: 0 });
    const record = await manage(gateway, 'GET', `/generations/${body.id}`);
    expect(record.body).toMatchObject({
      data: { price_lines: [{ units: [{ meter: 'search_unit', quantity: 3 }] }] },
    });
  });

  it('is certain without a report, if each document is short', async () => {
    const { headers, body } = await rerank({ model: 'sandbox/bedrock-ranker' });

    expect(headers.get('x-service-billing-status')).toBeNull();
    expect(body.usage).toEqual({ search_units: 1, cost: 0.1 });
  });

  it('is estimated without a report, if documents are long', async () => {
    // The provider counts each part of about 500 tokens as a document: about 400 tokens fit into one part, but the
    // bound of 1,600 tokens does not.
    const long = Array.from({ length: 100 }, () => 'parcel: '.repeat(200));
    const { headers, body } = await rerank({ model: 'sandbox/bedrock-ranker', documents: long });

    expect(headers.get('x-service-billing-status')).toBe('pending');
    expect(body.usage).toEqual({ search_units: 1 });
    expect(await finalGeneration(gateway, body.id)).toMatchObject({ total_cost: 0.1 });
  });

  it.each([
    ['sandbox/unit-ranker', 0.2],
    ['sandbox/ranker', 0.1],
  ])('is estimated if %s reports no usage', async (model, least) => {
    const { body } = await rerank({ model, query: `${query}\n@sandbox usage=none` });

    const generation = await finalGeneration(gateway, body.id);
    expect(generation['total_cost']).toBeGreaterThanOrEqual(least);
    expect(generation['total_cost']).toBeLessThan(least + 0.01);
  });

  it.each(['sandbox/ranker', 'sandbox/unit-ranker'])(
    'is at most the hold if %s reports absurd usage',
    async (model) => {
      const absurd = `${query}\n@sandbox usage=absurd`;
      const estimate = await post(gateway, '/rerank/estimate', { model, query: absurd, documents });
      const { data } = (await estimate.json()) as { data: { hold_rub: string } };

      const { status, body } = await rerank({ model, query: absurd });

      expect(status).toBe(200);
      expect((await finalGeneration(gateway, body.id))['total_cost']).toBe(Number(data.hold_rub));
    },
  );

  it('is held before anything is sent', async () => {
    const key = await keyWith({ limit: 0.15 });

    const refused = await rerank({ model: 'sandbox/unit-ranker' }, key);
    const admitted = await rerank({ model: 'sandbox/bedrock-ranker' }, key);

    expect([refused.status, refused.body.error.code]).toEqual([402, 402]);
    expect(admitted.status).toBe(200);
  });

  it('is charged once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'rank-one' };
    const body = { model: 'sandbox/ranker', query, documents };

    const first = await post(gateway, '/rerank', body, headers);
    const again = await post(gateway, '/rerank', body, headers);

    expect([first.status, again.status]).toEqual([200, 409]);
  });

  it('is estimated without a request to the provider', async () => {
    const body = { model: 'sandbox/unit-ranker', query, documents };
    const response = await post(gateway, '/rerank/estimate', body);

    expect(await response.json()).toMatchObject({
      data: { admits: true, hold_rub: '0.2', candidates: [{ model: 'sandbox/unit-ranker', max_cost_rub: '0.2' }] },
    });
  });
});

describe('a request for a rank', () => {
  it.each([
    [{ query: undefined }, 'query'],
    [{ query: '' }, 'query'],
    [{ documents: undefined }, 'documents'],
    [{ documents: [] }, 'documents'],
    [{ documents: 'parcel' }, 'documents'],
    [{ documents: ['a', ''] }, 'documents.1'],
    [{ documents: ['a', 5] }, 'documents.1'],
    [{ documents: ['a', { text: '' }] }, 'documents.1.text'],
    [{ documents: [{ text: 'a', image: 'https://example.com/a.png' }] }, 'documents.0.image'],
    [{ documents: [{ title: 'b' }] }, 'documents.0.text'],
    [{ documents: [{ text: 'a' }, { title: 'b' }], rank_fields: ['text'] }, 'documents.1.text'],
    [{ documents: [{ text: 'a' }], rank_fields: ['title', 'body'] }, 'documents.0.title'],
    [{ rank_fields: [] }, 'rank_fields'],
    [{ documents: Array.from({ length: 1_001 }, () => 'a') }, 'documents'],
    [{ documents: Array.from({ length: 5 }, () => 'a'.repeat(900 * 1024)) }, 'documents'],
    [{ top_n: 0 }, 'top_n'],
    [{ top_n: 1.5 }, 'top_n'],
    [{ top_n: 1, top_k: 2 }, 'top_k'],
    [{ return_documents: 'yes' }, 'return_documents'],
    [{ max_tokens_per_doc: 0 }, 'max_tokens_per_doc'],
    [{ max_tokens_per_doc: 100 }, 'max_tokens_per_doc'],
    [{ models: ['sandbox/ranker'] }, 'models'],
    [{ stream: true }, 'stream'],
    [{ model: 'sandbox/embedder' }, 'model'],
    [{ truncation: true, provider: { require_parameters: true } }, 'truncation'],
  ])('is refused with the name of the wrong field: $0', async (body, field) => {
    const { status, body: answer } = await rerank(body);

    expect([status, answer.error.param]).toEqual([400, field]);
  });

  it('accepts max_tokens_per_doc if the model lists it, and then holds less', async () => {
    const long = Array.from({ length: 100 }, () => 'parcel '.repeat(600));
    const held = async (more: object) => {
      const body = { model: 'sandbox/unit-ranker', query, documents: long, ...more };
      const response = await post(gateway, '/rerank/estimate', body);
      return Number(((await response.json()) as { data: { hold_rub: string } }).data.hold_rub);
    };

    expect(await held({ max_tokens_per_doc: 100 })).toBe(0.2);
    expect(await held({})).toBeGreaterThan(1);
    expect((await rerank({ model: 'sandbox/unit-ranker', max_tokens_per_doc: 100 })).status).toBe(200);
  });

  it('omits and reports fields that the endpoint does not support', async () => {
    const { status, headers, body } = await rerank({
      truncation: true,
      session_id: 'a',
      max_top: 1,
      other_field: null,
    });

    expect([status, headers.get('x-gateway-left-out')]).toEqual([200, 'truncation, max_top']);
    expect(await finalGeneration(gateway, body.id)).toMatchObject({
      left_out: ['truncation', 'max_top'],
      tags: { session: 'a' },
    });
  });

  it('is not sent to a provider that the key or the request excludes', async () => {
    const key = await keyWith({ privacy: { ignoredProviders: ['sandbox-openai'] } });

    const excluded = await rerank({}, key);
    const ignored = await rerank({ provider: { ignore: ['sandbox-openai'] } });
    const other = await rerank({ model: 'sandbox/bedrock-ranker' }, key);

    expect([excluded.status, ignored.status, other.status]).toEqual([404, 404, 200]);
  });
});

describe('sensitive data of a rank', () => {
  const address = { query: 'ann@example.com', documents: ['Hello', 'Write to ann@example.com.'] };
  const protecting = { enabled: true, action: 'replace', categories: ['email'] };

  it('is replaced in the query and the documents, and whole in the answer', async () => {
    const key = await keyWith({ sensitive_data: protecting });

    const { body } = await rerank(address, key);

    // The query and the document get the same placeholder, so that their words still match.
    expect(body.results[0]).toEqual({ index: 1, relevance_score: 1, document: { text: address.documents[1] } });
    const part = await rerank({ ...address, query: 'ann' }, key);
    expect(part.body.results.map(({ relevance_score }) => relevance_score)).toEqual([0, 0]);
  });

  it('is refused with the name of its field if the key blocks it', async () => {
    const key = await keyWith({ sensitive_data: { ...protecting, action: 'block' } });

    const inQuery = await rerank(address, key);
    const inDocument = await rerank({ query, documents: ['a', { text: 'bob@example.com' }] }, key);
    const documents = ['a', { title: 'bob@example.com', body: 'b' }];
    const inField = await rerank({ query, documents, rank_fields: ['title'] }, key);
    const inFields = await rerank({ query, documents, rank_fields: ['title', 'body'] }, key);

    expect([inQuery.status, inQuery.body.error.param]).toEqual([400, 'query']);
    expect([inDocument.status, inDocument.body.error.param]).toEqual([400, 'documents.1.text']);
    expect([inField.status, inField.body.error.param]).toEqual([400, 'documents.1.title']);
    expect([inFields.status, inFields.body.error.param]).toEqual([400, 'documents.1']);
  });
});

describe('the list of rerank models', () => {
  it('has the models that can be called', async () => {
    const response = await get(gateway, '/rerank/models');

    const { data } = (await response.json()) as { data: { id: string; pricing: Record<string, string> }[] };
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(models));
    expect(data.find(({ id }) => id === 'sandbox/unit-ranker')!.pricing['search_unit']).toBe('0.2');
  });
});
