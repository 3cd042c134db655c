import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import type { Polled, Submitted } from '../../lambdas/providers/job-wire.ts';
import type { VideoRequest, VideoWire } from '../../lambdas/providers/video/wire.ts';
import { jobWire } from '../../lambdas/providers/job-wires.ts';

type VideoWireName = WireOf<'video'>;

const wireNames = ['video-jobs', 'google-veo', 'minimax-video', 'runway-tasks'] as const satisfies VideoWireName[];
const wireOf = (name: VideoWireName): VideoWire => jobWire(name)!;
const job = { clientToken: 'gen-1', webhookUrl: undefined };
const target = (upstreamModel: string, quirks = {}) => ({ upstreamModel, quirks });

const asked: VideoRequest = {
  prompt: 'A fox in the snow',
  durationSeconds: 6,
  resolution: '720p',
  aspectRatio: '16:9',
  frames: [],
  seed: undefined,
  withAudio: undefined,
};
const first = { frame: 'first_frame', mediaType: 'image/png', base64: 'Zmlyc3Q=' } as const;
const last = { frame: 'last_frame', mediaType: 'image/jpeg', base64: 'bGFzdA==' } as const;

const answer = (body: unknown, status = 200, headers: Record<string, string> = {}) => ({
  status,
  headers,
  text: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('a video request', () => {
  const json = { 'content-type': 'application/json' };

  it.each<[string, VideoWireName, string, Partial<VideoRequest>, object]>([
    [
      'of a text, on the public convention',
      'video-jobs',
      'acme/film',
      { seed: 7, withAudio: true },
      {
        path: '/videos',
        headers: { ...json, 'idempotency-key': 'gen-1' },
        body: {
          model: 'acme/film',
          prompt: 'A fox in the snow',
          duration: 6,
          resolution: '720p',
          aspect_ratio: '16:9',
          frame_images: [],
          seed: 7,
          generate_audio: true,
        },
      },
    ],
    [
      'of a picture, on the public convention',
      'video-jobs',
      'acme/film',
      { prompt: undefined, frames: [first] },
      {
        path: '/videos',
        headers: { ...json, 'idempotency-key': 'gen-1' },
        body: {
          model: 'acme/film',
          duration: 6,
          resolution: '720p',
          aspect_ratio: '16:9',
          frame_images: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,Zmlyc3Q=' }, frame_type: 'first_frame' },
          ],
        },
      },
    ],
    [
      'between two pictures, to Veo',
      'google-veo',
      'veo-3.1-generate-preview',
      { frames: [last, first], resolution: '4K', durationSeconds: 8, withAudio: true },
      {
        path: '/models/veo-3.1-generate-preview:predictLongRunning',
        headers: json,
        body: {
          instances: [
            {
              prompt: 'A fox in the snow',
              image: { bytesBase64Encoded: 'Zmlyc3Q=', mimeType: 'image/png' },
              lastFrame: { bytesBase64Encoded: 'bGFzdA==', mimeType: 'image/jpeg' },
            },
          ],
          parameters: { aspectRatio: '16:9', durationSeconds: 8, resolution: '4k' },
        },
      },
    ],
    [
      'of a text, to Hailuo',
      'minimax-video',
      'MiniMax-Hailuo-2.3',
      { resolution: '768p', withAudio: false },
      {
        path: '/v1/video_generation',
        headers: json,
        body: { model: 'MiniMax-Hailuo-2.3', prompt: 'A fox in the snow', duration: 6, resolution: '768P' },
      },
    ],
    [
      'between two pictures, to Hailuo',
      'minimax-video',
      'MiniMax-Hailuo-02',
      { resolution: '1080p', frames: [first, last], prompt: undefined },
      {
        path: '/v1/video_generation',
        headers: json,
        body: {
          model: 'MiniMax-Hailuo-02',
          duration: 6,
          resolution: '1080P',
          first_frame_image: 'data:image/png;base64,Zmlyc3Q=',
          last_frame_image: 'data:image/jpeg;base64,bGFzdA==',
        },
      },
    ],
    [
      'of a text, to Runway',
      'runway-tasks',
      'gen4.5',
      { aspectRatio: '9:16', seed: 5 },
      {
        path: '/v1/text_to_video',
        headers: { ...json, 'x-runway-version': '2024-11-06' },
        body: { model: 'gen4.5', promptText: 'A fox in the snow', ratio: '720:1280', duration: 6, seed: 5 },
      },
    ],
    [
      'of a picture, to Runway',
      'runway-tasks',
      'gen4_turbo',
      { aspectRatio: '1:1', frames: [first] },
      {
        path: '/v1/image_to_video',
        headers: { ...json, 'x-runway-version': '2024-11-06' },
        body: {
          model: 'gen4_turbo',
          promptText: 'A fox in the snow',
          promptImage: 'data:image/png;base64,Zmlyc3Q=',
          ratio: '960:960',
          duration: 6,
        },
      },
    ],
  ])('%s', (_title, name, model, change, expected) => {
    const { body, ...request } = wireOf(name).submit({ ...asked, ...change }, target(model), job);

    expect({ ...request, body: JSON.parse(body!) as unknown }).toEqual({ method: 'POST', ...expected });
  });

  it.each<[VideoWireName, Partial<VideoRequest>, string, object?]>([
    ['video-jobs', { prompt: undefined }, 'prompt'],
    ['google-veo', { prompt: undefined }, 'prompt'],
    ['google-veo', { seed: 0 }, 'seed'],
    ['google-veo', { withAudio: false }, 'generate_audio'],
    ['google-veo', { frames: [last] }, 'frame_images'],
    ['minimax-video', { seed: 1 }, 'seed'],
    ['minimax-video', { withAudio: true }, 'generate_audio'],
    ['minimax-video', { prompt: 'x'.repeat(2_001) }, 'prompt'],
    ['minimax-video', {}, 'frame_images', { needs_first_frame: true }],
    ['runway-tasks', { withAudio: true }, 'generate_audio'],
    ['runway-tasks', { aspectRatio: '1:1' }, 'aspect_ratio'],
    ['runway-tasks', { aspectRatio: '2:3', frames: [first] }, 'aspect_ratio'],
    ['runway-tasks', { prompt: 'x'.repeat(1_001) }, 'prompt'],
    ['runway-tasks', {}, 'frame_images', { needs_first_frame: true }],
    ['runway-tasks', { prompt: undefined, frames: [first] }, 'prompt', { needs_prompt: true }],
    ['minimax-video', { prompt: undefined, frames: [first] }, 'prompt', { needs_prompt: true }],
    ['runway-tasks', { frames: [last] }, 'frame_images'],
    ['runway-tasks', { frames: [{ ...first, base64: 'A'.repeat(5_000_000) }] }, 'frame_images'],
  ])('to %s with %j is refused with the name of %s', (name, change, field, quirks = {}) => {
    expect(wireOf(name).objectionTo?.({ ...asked, ...change }, target('m', quirks))?.field).toBe(field);
  });

  it.each(wireNames)('to %s with a text, or with a picture, is accepted', (name) => {
    const wire = wireOf(name);
    expect(wire.objectionTo?.(asked, target('m'))).toBeUndefined();
    expect(wire.objectionTo?.({ ...asked, prompt: undefined, frames: [first] }, target('m'))).toBeUndefined();
  });
});

describe('the answer to a video request', () => {
  const unnamed = { uncertain: 'The provider accepted the request, but returned no job id' };

  it.each<[VideoWireName, string, ReturnType<typeof answer>, Submitted]>([
    ['video-jobs', 'a job', answer({ id: 'gen-vid-1', status: 'pending' }, 202), { jobId: 'gen-vid-1' }],
    ['video-jobs', 'an invalid id', answer({ id: '../keys' }, 202), unnamed],
    [
      'video-jobs',
      'a fault of the request',
      answer({ error: { code: 400, message: 'prompt: too long' } }, 400),
      { refused: 'prompt: too long' },
    ],
    ['video-jobs', 'too many requests', answer({ error: { message: 'Slow down' } }, 429), { failed: 'Slow down' }],
    [
      'video-jobs',
      'no money there',
      answer({ error: { message: 'No credits' } }, 402),
      { failed: 'No credits', fault: 'operator' },
    ],
    [
      'google-veo',
      'an operation',
      answer({ name: 'models/veo-3.1-generate-preview/operations/op1' }),
      { jobId: 'models/veo-3.1-generate-preview/operations/op1' },
    ],
    ['google-veo', 'another path', answer({ name: 'files/secret' }), unnamed],
    [
      'google-veo',
      'a refusal',
      answer({ error: { code: 400, message: 'Violates the policy', status: 'INVALID_ARGUMENT' } }, 400),
      { refused: 'Violates the policy' },
    ],
    ['google-veo', 'no quota', answer({ error: { code: 429, message: 'Quota' } }, 429), { failed: 'Quota' }],
    [
      'minimax-video',
      'a task',
      answer({ task_id: '10641', base_resp: { status_code: 0, status_msg: 'success' } }),
      { jobId: '10641' },
    ],
    [
      'minimax-video',
      'a number that no double holds',
      answer('{"task_id": 306792606023824999, "base_resp": {"status_code": 0}}'),
      { jobId: '306792606023824999' },
    ],
    [
      'minimax-video',
      'a sensitive prompt',
      answer({ task_id: '', base_resp: { status_code: 1026, status_msg: 'input new_sensitive' } }),
      { refused: 'input new_sensitive' },
    ],
    [
      'minimax-video',
      'wrong parameters',
      answer({ base_resp: { status_code: 2013, status_msg: 'invalid params' } }),
      { refused: 'invalid params' },
    ],
    ['minimax-video', 'half a document', answer('{"task_id": "1", "base_re'), unnamed],
    ...[1000, 1001, 1013, 1024, 1033, 9999].map(
      (code): [VideoWireName, string, ReturnType<typeof answer>, Submitted] => [
        'minimax-video',
        `a timeout, a failure or an unknown code, after which a job may exist: ${code}`,
        answer({ base_resp: { status_code: code, status_msg: 'not now' } }),
        { uncertain: 'not now' },
      ],
    ),
    [
      'minimax-video',
      'a limit',
      answer({ base_resp: { status_code: 1002, status_msg: 'not now' } }),
      { failed: 'not now' },
    ],
    ...[1004, 1008, 2049].map((code): [VideoWireName, string, ReturnType<typeof answer>, Submitted] => [
      'minimax-video',
      `code ${code}`,
      answer({ base_resp: { status_code: code, status_msg: 'not now' } }),
      { failed: 'not now', fault: 'operator' },
    ]),
    [
      'google-veo',
      'a bad key as a bad request',
      answer(
        {
          error: {
            code: 400,
            message: 'API key not valid.',
            status: 'INVALID_ARGUMENT',
            details: [{ reason: 'API_KEY_INVALID' }],
          },
        },
        400,
      ),
      { failed: 'API key not valid.', fault: 'operator' },
    ],
    [
      'google-veo',
      'a project in a wrong state',
      answer({ error: { code: 400, message: 'Enable billing.', status: 'FAILED_PRECONDITION' } }, 400),
      { failed: 'Enable billing.', fault: 'operator' },
    ],
    [
      'google-veo',
      'an unknown model',
      answer(
        { error: { code: 404, message: 'models/veo-2 is not found for API version v1beta', status: 'NOT_FOUND' } },
        404,
      ),
      { failed: 'models/veo-2 is not found for API version v1beta', fault: 'catalog' },
    ],
    [
      'runway-tasks',
      'no credits',
      answer({ error: 'You do not have enough credits to run this task.' }, 400),
      { failed: 'You do not have enough credits to run this task.', fault: 'operator' },
    ],
    ['runway-tasks', 'a task', answer({ id: '17f20503-6c24' }), { jobId: '17f20503-6c24' }],
    ['runway-tasks', 'a fault', answer({ error: 'Invalid ratio' }, 400), { refused: 'Invalid ratio' }],
    [
      'runway-tasks',
      'a wrong key',
      answer({ error: 'No such key' }, 401),
      { failed: 'No such key', fault: 'operator' },
    ],
  ])('of %s: %s', (name, _what, given, expected) => {
    expect(wireOf(name).readSubmitted(given)).toEqual(expected);
  });

  it.each([500, 502, 504])('of google-veo: an HTML page with the status %i leaves the outcome unknown', (status) => {
    const message = `The provider answered with status ${status}`;
    expect(wireOf('google-veo').readSubmitted(answer('<html>', status))).toEqual({ uncertain: message });
  });

  it.each(wireNames)('of %s: a proxy that lost the connection leaves the outcome unknown', (name) => {
    const lost = 'upstream connect error or disconnect/reset before headers. reset reason: connection termination';
    expect(wireOf(name).readSubmitted(answer(lost, 503))).toHaveProperty('uncertain');
  });

  it.each(wireNames)('of %s: a bare 503 has a message of the gateway', (name) => {
    expect(wireOf(name).readSubmitted(answer('<html>', 503))).toEqual({
      failed: 'The provider answered with status 503',
    });
  });
});

describe('a poll of a video job', () => {
  it.each<[VideoWireName, string, object]>([
    ['video-jobs', 'gen-vid-1', { path: '/videos/gen-vid-1', headers: {} }],
    ['google-veo', 'models/veo/operations/op1', { path: '/models/veo/operations/op1', headers: {} }],
    ['minimax-video', '10641', { path: '/v1/query/video_generation?task_id=10641', headers: {} }],
    ['runway-tasks', '17f2', { path: '/v1/tasks/17f2', headers: { 'x-runway-version': '2024-11-06' } }],
  ])('on %s', (name, jobId, expected) => {
    expect(wireOf(name).poll(jobId, target('m'))).toEqual({ method: 'GET', body: undefined, ...expected });
  });
});

describe('the answer to a poll of a video job', () => {
  const noVideo: Polled = { state: 'failed' };
  const moderated: Polled = { state: 'failed', wasModerated: true };
  const veo = (response: object) => answer({ name: 'models/veo/operations/op1', done: true, response });
  const elsewhere = 'https://storage.example/v1beta/files/abc:download?alt=media';
  const ownFile = 'https://generativelanguage.googleapis.com/v1beta/files/abc:download?alt=media';

  it.each<[VideoWireName, string, ReturnType<typeof answer>, Polled]>([
    ['video-jobs', 'pending', answer({ id: 'v1', status: 'pending' }), { state: 'working' }],
    [
      'video-jobs',
      'in_progress',
      answer({ id: 'v1', status: 'in_progress' }, 200, { 'retry-after': '7' }),
      { state: 'working', retryAfterSeconds: 7 },
    ],
    [
      'video-jobs',
      'completed',
      answer({ id: 'v1', status: 'completed', unsigned_urls: ['https://a.example/1', 'https://a.example/2'] }),
      {
        state: 'completed',
        files: [{ path: '/videos/v1/content?index=0' }, { path: '/videos/v1/content?index=1' }],
      },
    ],
    [
      'video-jobs',
      'completed without addresses',
      answer({ id: 'v1', status: 'completed' }),
      { state: 'completed', files: [{ path: '/videos/v1/content?index=0' }] },
    ],
    ['video-jobs', 'failed', answer({ id: 'v1', status: 'failed', error: 'Blocked by moderation' }), noVideo],
    ['video-jobs', 'expired', answer({ id: 'v1', status: 'expired' }), noVideo],
    ['video-jobs', 'cancelled', answer({ id: 'v1', status: 'cancelled' }), { state: 'cancelled' }],
    ['video-jobs', 'a new state', answer({ status: 'dreaming' }), { state: 'unknown', reason: 'state dreaming' }],
    [
      'google-veo',
      'not done',
      answer({ name: 'models/veo/operations/op1' }),
      { state: 'working', retryAfterSeconds: 10 },
    ],
    [
      'google-veo',
      'done, a file of its own',
      veo({ generateVideoResponse: { generatedSamples: [{ video: { uri: ownFile } }] } }),
      { state: 'completed', files: [{ path: '/files/abc:download?alt=media' }] },
    ],
    [
      'google-veo',
      'done, a file elsewhere, which is not given the key',
      veo({ generateVideoResponse: { generatedSamples: [{ video: { uri: elsewhere } }] } }),
      { state: 'completed', files: [{ url: elsewhere }] },
    ],
    [
      'google-veo',
      'kept back by its filters',
      veo({ generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['Shows a minor.'] } }),
      moderated,
    ],
    ['google-veo', 'done with nothing', veo({}), noVideo],
    [
      'google-veo',
      'an error',
      answer({ name: 'o', done: true, error: { code: 13, message: 'Internal error' } }),
      noVideo,
    ],
    [
      'google-veo',
      'an error of moderation',
      answer({
        name: 'o',
        done: true,
        error: {
          code: 3,
          message: "This prompt contains sensitive words that violate Google's Responsible AI practices.",
        },
      }),
      moderated,
    ],
    ...['Preparing', 'Queueing', 'Processing'].map(
      (status): [VideoWireName, string, ReturnType<typeof answer>, Polled] => [
        'minimax-video',
        status,
        answer({ status, base_resp: { status_code: 0 } }),
        { state: 'working', retryAfterSeconds: 10 },
      ],
    ),
    [
      'minimax-video',
      'Success',
      answer({ status: 'Success', file_id: '205258526306433', base_resp: { status_code: 0 } }),
      { state: 'completed', files: [{ path: '/v1/files/retrieve?file_id=205258526306433' }] },
    ],
    ['minimax-video', 'Success without a file', answer({ status: 'Success', file_id: '' }), noVideo],
    [
      'minimax-video',
      'Fail',
      answer({ status: 'Fail', base_resp: { status_code: 1027, status_msg: 'output new_sensitive' } }),
      moderated,
    ],
    [
      'minimax-video',
      'Fail, which it calls a success',
      answer({ status: 'Fail', base_resp: { status_code: 0, status_msg: 'success' } }),
      noVideo,
    ],
    [
      'minimax-video',
      'too many questions',
      answer({ base_resp: { status_code: 1002, status_msg: 'rate limit' } }),
      { state: 'unknown', reason: 'state missing' },
    ],
    ...['PENDING', 'THROTTLED', 'RUNNING'].map((status): [VideoWireName, string, ReturnType<typeof answer>, Polled] => [
      'runway-tasks',
      status,
      answer({ id: 't', status }),
      { state: 'working', retryAfterSeconds: 5 },
    ]),
    [
      'runway-tasks',
      'SUCCEEDED',
      answer({ id: 't', status: 'SUCCEEDED', output: ['https://cdn.example/a.mp4?token=1', 7] }),
      { state: 'completed', files: [{ url: 'https://cdn.example/a.mp4?token=1' }] },
    ],
    ['runway-tasks', 'SUCCEEDED with nothing', answer({ id: 't', status: 'SUCCEEDED', output: [] }), noVideo],
    [
      'runway-tasks',
      'refused by its moderation',
      answer({ id: 't', status: 'FAILED', failureCode: 'SAFETY.INPUT.TEXT' }),
      moderated,
    ],
    [
      'runway-tasks',
      'FAILED',
      answer({ id: 't', status: 'FAILED', failure: 'Bad picture', failureCode: 'INPUT_PREPROCESSING.INTERNAL' }),
      noVideo,
    ],
    ['runway-tasks', 'CANCELLED', answer({ id: 't', status: 'CANCELLED' }), { state: 'cancelled' }],
  ])('on %s: %s', (name, _what, given, expected) => {
    expect(wireOf(name).readPolled(given)).toEqual(expected);
  });

  it.each(wireNames)('on %s: only status 200 ends a job', (name) => {
    const states = [400, 401, 404, 410, 429, 500, 503].map((status) =>
      wireOf(name).readPolled(answer({ status: 'failed', error: 'x', done: true }, status)),
    );
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['unknown']));
  });
});

describe('a poll that a provider refuses', () => {
  const noBalance = { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } };
  const badKey = {
    error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid key.' },
  };

  it.each<[VideoWireName, object, number, boolean]>([
    ['minimax-video', noBalance, 200, true],
    ['minimax-video', { base_resp: { status_code: 1004, status_msg: 'login fail' } }, 200, true],
    ['minimax-video', { base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 200, false],
    ['google-veo', badKey, 400, true],
    ['google-veo', { error: { code: 404, status: 'NOT_FOUND', message: 'Not found' } }, 404, false],
    ['runway-tasks', { error: 'Unauthorized' }, 401, true],
    ['runway-tasks', { error: 'Task not found' }, 404, false],
    ['video-jobs', { error: { message: 'Insufficient credits' } }, 402, true],
    ['video-jobs', { error: { message: 'Internal error' } }, 500, false],
  ])('on %s with %j and status %i concerns the operator: %s', (name, body, status, isOperators) => {
    const polled = wireOf(name).readPolled(answer(body, status));

    expect(polled).toMatchObject({ state: 'unknown' });
    expect('fault' in polled).toBe(isOperators);
  });
});

describe('the answer with the address of a video file', () => {
  it('is read on minimax-video', () => {
    const wire = wireOf('minimax-video');
    const file = { file_id: 205258526306433, download_url: 'https://cdn.example/output.mp4?Signature=1' };

    expect(wire.readFileAddress!(answer({ file, base_resp: { status_code: 0 } }))).toBe(file.download_url);
    expect(wire.readFileAddress!(answer({ base_resp: { status_code: 1004, status_msg: 'no' } }))).toBeUndefined();
  });
});

describe('invalid data of a video provider', () => {
  const states = ['working', 'completed', 'failed', 'cancelled', 'unknown'];

  it.each(wireNames)('on %s never throws', (name) => {
    const wire = wireOf(name);
    const field = fc.constantFrom('id', 'status', 'name', 'done', 'response', 'error', 'task_id', 'file_id', 'output');
    const word = fc.constantFrom('completed', 'Success', 'SUCCEEDED', 'failed', 'Fail', 'FAILED', true);
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(field, fc.oneof(word, fc.jsonValue())).map((fields) => JSON.stringify(fields)),
    );
    fc.assert(
      fc.property(body, fc.constantFrom(200, 202, 400, 500), (text, status) => {
        const given = { status, headers: {}, text };
        expect(states).toContain(wire.readPolled(given).state);
        expect(Object.keys(wire.readSubmitted(given))).toHaveLength(1);
      }),
      { numRuns: 150 },
    );
  });
});
