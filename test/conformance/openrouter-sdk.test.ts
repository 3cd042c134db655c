import { OpenRouter } from '@openrouter/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessages, ChatResult, ChatStreamChunk } from '@openrouter/sdk/models';
import { readMp4 } from '../support/mp4.ts';
import { readPng } from '../support/png.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
let manager: OpenRouter;
let client: OpenRouter;
beforeAll(async () => {
  gateway = await commonGateway();
  // The SDK would retry every 5xx for an hour.
  const options = { serverURL: gateway.baseUrl, retryConfig: { strategy: 'none' as const } };
  manager = new OpenRouter({ ...options, apiKey: gateway.managementKey });
  client = new OpenRouter({ ...options, apiKey: gateway.key });
});

/** The SDK throws if a response does not have the expected form, so each call also checks the form. */
describe('the OpenRouter SDK', () => {
  it('creates a key and reads its secret once', async () => {
    const created = await manager.apiKeys.create({
      requestBody: { name: 'sdk', limit: 12.5, limitReset: 'monthly', expiresAt: new Date('2030-01-01T00:00:00Z') },
    });
    expect(created.key).toMatch(/^sk-mg-v1-[0-9a-f]{64}$/);
    expect(created.data).toMatchObject({ name: 'sdk', limit: 12.5, limitRemaining: 12.5, limitReset: 'monthly' });
    const read = await manager.apiKeys.get({ hash: created.data.hash });
    expect(read.data).toEqual(created.data);
  });

  it('lists keys', async () => {
    const page = await manager.apiKeys.list({ includeDisabled: true });
    expect(page.data[0]).toMatchObject({ name: 'First key', workspaceId: gateway.workspaceId });
  });

  it('updates and deletes a key', async () => {
    const { data } = await manager.apiKeys.create({ requestBody: { name: 'short-lived', limit: 1 } });
    const updated = await manager.apiKeys.update({ hash: data.hash, requestBody: { disabled: true, limit: null } });
    expect(updated.data).toMatchObject({ disabled: true, limit: null, limitRemaining: null });
    expect(await manager.apiKeys.delete({ hash: data.hash })).toEqual({ deleted: true });
    await expect(manager.apiKeys.get({ hash: data.hash })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('reads the metadata of an inference key and of a management key', async () => {
    expect((await client.apiKeys.getCurrentKeyMetadata()).data.isManagementKey).toBe(false);
    expect((await manager.apiKeys.getCurrentKeyMetadata()).data.isManagementKey).toBe(true);
  });

  it('reads payments and spending of the account', async () => {
    const { data } = await manager.credits.getCredits();
    expect(data).toEqual({ totalCredits: 0, totalUsage: expect.any(Number) });
  });

  it('gets images of a chat model, whole and in a stream', async () => {
    const chatRequest = {
      model: 'sandbox/illustrator',
      messages: [said('Draw', 'delay=0')],
      modalities: ['image' as const, 'text' as const],
      imageConfig: { aspect_ratio: '1:1' },
    };
    const whole = (await client.chat.send({ chatRequest })) as ChatResult;
    const [image] = whole.choices[0]!.message.images!;
    expect(readPng(image!.imageUrl.url.replace('data:image/png;base64,', ''))).toEqual({ width: 1_024, height: 1_024 });
    expect(whole.usage).toMatchObject({ cost: expect.any(Number) });

    const stream = await client.chat.send({ chatRequest: { ...chatRequest, stream: true } });
    const chunks = await Array.fromAsync(stream as AsyncIterable<ChatStreamChunk>);
    expect(chunks.at(-1)!.usage).toMatchObject({ completionTokens: whole.usage!.completionTokens });
  });

  it('can send an image of an answer back to the model', async () => {
    const modalities = ['image' as const, 'text' as const];
    const ask = async (messages: ChatMessages[]) =>
      (await client.chat.send({
        chatRequest: { model: 'sandbox/illustrator', messages, modalities },
      })) as ChatResult;
    const first = await ask([said('Draw', 'delay=0')]);
    const second = await ask([said('Draw', 'delay=0'), first.choices[0]!.message, said('Again', 'delay=0')]);

    expect(second.choices[0]!.message.content).toContain('I was shown 1 image(s).');
  });

  it('gets decisions about several kinds of questions', async () => {
    const decided = await client.systemOne.create({
      decisionsRequest: {
        model: 'sandbox/judge',
        state: { mail: 'Where is my parcel?' },
        questions: {
          topic: {
            type: 'choice',
            instructions: 'What is it about?',
            criteria: { parcel: 'A parcel (weight 3)', money: null },
          },
          angry: { type: 'noul', instructions: 'Is the writer angry?' },
          urgency: { type: 'score', instructions: 'How urgent is it?', criteria: ['not', 'a little', 'very'] },
        },
      },
    });

    expect(decided).toMatchObject({
      model: 'sandbox/judge',
      provider: 'Sandbox Chat',
      usage: { cost: expect.any(Number) as number },
    });
    expect(decided.answers).toMatchObject({
      topic: { type: 'choice', choice: 'parcel' },
      angry: { type: 'noul' },
      urgency: { type: 'score', legend: { '0': 'not' } },
    });
    expect(await finalGeneration(gateway, decided.id!)).toMatchObject({ api_type: 'decisions' });
  });

  it('creates a video, and downloads it', async () => {
    const submitted = await client.videoGeneration.generate({
      videoGenerationRequest: {
        model: 'sandbox/filmmaker',
        prompt: 'A fox @sandbox polls=0',
        duration: 5,
        resolution: '768p',
        aspectRatio: '9:16',
      },
    });
    expect(submitted).toMatchObject({ status: 'pending', generationId: submitted.id });

    const poll = () => client.videoGeneration.getGeneration({ jobId: submitted.id });
    await expect.poll(async () => (await poll()).usage?.cost).toBe(62.5);

    expect(await poll()).toMatchObject({ status: 'completed' });
    const content = await client.videoGeneration.getVideoContent({ jobId: submitted.id });
    const file = Buffer.from(await new Response(content).arrayBuffer());
    expect(readMp4(file).samples).toHaveLength(4);
    expect(await finalGeneration(gateway, submitted.id)).toMatchObject({ api_type: 'video', total_cost: 62.5 });
  });

  it('lists all models, and the models of the key', async () => {
    const all = await client.models.list();
    expect(all.result.data.length).toBeGreaterThan(30);
    const own = await client.models.listForUser({ bearer: gateway.key }, {});
    const allIds = all.result.data.map(({ id }) => id);
    // Without credentials, only the sandbox's models are callable.
    expect(own.result.data.map(({ id }) => id)).toEqual(allIds.filter((id) => id.startsWith('sandbox/')));
  });

  it('lists models of every modality, and models that make video', async () => {
    const { result } = await client.models.list({ outputModalities: 'all' });
    expect(result.data.map(({ id }) => id)).toContain('sandbox/filmmaker');
    const videos = await client.videoGeneration.listVideosModels();
    expect(videos.data[0]!.pricingSkus).toMatchObject({ 'per-video-second-768p': '12.5' });
  });

  it('reads all pages of models', async () => {
    const ids: string[] = [];
    for await (const page of await client.models.listForUser({ bearer: gateway.key }, { limit: 3 })) {
      ids.push(...page.result.data.map(({ id }) => id));
    }
    const all = await client.models.list();
    const callable = all.result.data.map(({ id }) => id).filter((id) => id.startsWith('sandbox/'));
    expect(callable.length).toBeGreaterThan(3);
    expect(ids).toEqual(callable);
  });

  it('reads a model, its endpoints and the embedding models', async () => {
    const model = await client.models.get({ author: 'sandbox', slug: 'claude' });
    expect(model.data.id).toBe('sandbox/claude');
    const endpoints = await client.endpoints.list({ author: 'sandbox', slug: 'claude' });
    expect(endpoints.data.endpoints[0]!.providerName).toBe('Sandbox');
    const embeddings = await client.embeddings.listModels();
    expect(embeddings.result.data.length).toBeGreaterThan(0);
  });

  it('ranks documents', async () => {
    const answer = await client.rerank.rerank({
      requestBody: {
        model: 'sandbox/unit-ranker',
        query: 'Where is my parcel?',
        documents: ['Closed.', { text: 'My parcel is late.' }],
        topN: 1,
        provider: { only: ['sandbox-openai'] },
        user: 'ann',
      },
    });
    expect(answer).toMatchObject({
      model: 'sandbox/unit-ranker',
      provider: 'Sandbox Chat',
      results: [{ index: 1, relevanceScore: 0.75, document: { text: 'My parcel is late.' } }],
      usage: { searchUnits: 1, cost: 0.2 },
    });
    const wrong = { model: 'sandbox/unit-ranker', query: 'Where?', documents: [] };
    await expect(client.rerank.rerank({ requestBody: wrong })).rejects.toMatchObject({ statusCode: 400 });
  });

  it('reads a generation', async () => {
    const answer = await post(gateway, '/messages', { model: 'sandbox/claude', messages: [said('Hi', 'delay=0')] });
    const { id } = (await answer.json()) as { id: string };
    const final = await finalGeneration(gateway, id);
    const { data } = await client.generations.getGeneration({ id });
    expect(data).toMatchObject({ id, totalCost: final['total_cost'], apiType: 'completions' });
  });

  it('reads the activity of a day', async () => {
    const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    expect(await manager.analytics.getUserActivity({ date })).toEqual({ data: [] });
  });

  it('creates, lists, reads and updates workspaces', async () => {
    const created = await manager.workspaces.create({
      createWorkspaceRequest: { name: 'Production', slug: 'production', description: 'What customers see' },
    });
    expect(created.data).toMatchObject({ slug: 'production', description: 'What customers see' });
    const slugs: string[] = [];
    for await (const page of await manager.workspaces.list({ limit: 1 })) {
      slugs.push(...page.result.data.map(({ slug }) => slug));
    }
    expect(slugs).toEqual(['default', 'production']);
    expect((await manager.workspaces.get({ id: 'production' })).data).toEqual(created.data);
    const updated = await manager.workspaces.update({
      id: created.data.id,
      updateWorkspaceRequest: { name: 'Production 2' },
    });
    expect(updated.data).toMatchObject({ id: created.data.id, name: 'Production 2' });
  });

  it('manages members and deletes a workspace', async () => {
    await manager.workspaces.create({ createWorkspaceRequest: { name: 'Team', slug: 'team' } });
    const added = await manager.workspaces.bulkAddMembers({
      id: 'team',
      bulkAddWorkspaceMembersRequest: { userIds: ['ann', 'bob'] },
    });
    expect(added.addedCount).toBe(2);
    const removed = await manager.workspaces.bulkRemoveMembers({
      id: 'team',
      bulkRemoveWorkspaceMembersRequest: { userIds: ['bob'] },
    });
    expect(removed.removedCount).toBe(1);
    expect(await manager.workspaces.delete({ id: 'team' })).toEqual({ deleted: true });
  });

  it('gets typed errors', async () => {
    await expect(manager.workspaces.get({ id: 'nowhere' })).rejects.toMatchObject({ statusCode: 404 });
    await expect(client.apiKeys.list()).rejects.toMatchObject({ statusCode: 403 });
    await expect(manager.apiKeys.create({ requestBody: { name: '' } })).rejects.toMatchObject({ statusCode: 400 });
  });
});
