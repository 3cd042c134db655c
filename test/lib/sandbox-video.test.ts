import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Polled, JobHttpRequest } from '../../lambdas/providers/job-wire.ts';
import type { VideoRequest } from '../../lambdas/providers/video/wire.ts';
import { videoJobsWire as wire } from '../../lambdas/providers/video/video-jobs.ts';
import { startSandbox, type SandboxUpstream } from '../../lib/local/sandbox/server.ts';
import { CLIP } from '../../lib/local/sandbox/video/studio.ts';
import { readMp4 } from '../support/mp4.ts';

const stbl = 'moov.trak.mdia.minf.stbl';

describe('the clip of the sandbox', () => {
  it('is a valid film of two seconds', () => {
    const { boxes, samples } = readMp4(readFileSync(CLIP));
    const movie = boxes.get('moov.mvhd')!;

    expect([...boxes.keys()].filter((path) => !path.includes('.'))).toEqual(['ftyp', 'moov', 'mdat']);
    expect(movie.readUInt32BE(16) / movie.readUInt32BE(12)).toBe(2);
    expect(boxes.get(`${stbl}.stsd`)!.subarray(8).toString('latin1', 4, 8)).toBe('avc1');
    expect(samples).toHaveLength(4);
  });
});

let sandbox: SandboxUpstream;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const target = { upstreamModel: 'filmmaker', quirks: {} };
let tries = 0;

async function send({ method, path, headers, body }: JobHttpRequest) {
  const response = await fetch(`${sandbox.videoUrl}${path}`, { method, headers, ...(body ? { body } : {}) });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

async function submit(prompt: string, change: Partial<VideoRequest> = {}, clientToken = `gen-${(tries += 1)}`) {
  const request = {
    prompt,
    durationSeconds: 5,
    resolution: '768p',
    aspectRatio: '16:9',
    frames: [],
    seed: undefined,
    withAudio: undefined,
    ...change,
  };
  return wire.readSubmitted(await send(wire.submit(request, target, { clientToken, webhookUrl: undefined })));
}

/** Polls a job until its end, or six times, and returns all responses. */
async function follow(prompt: string): Promise<{ jobId: string; answers: Polled[] }> {
  const submitted = await submit(prompt);
  if (!('jobId' in submitted)) throw new Error(JSON.stringify(submitted));
  const { jobId } = submitted;
  const answers: Polled[] = [];
  do answers.push(wire.readPolled(await send(wire.poll(jobId, target))));
  while (['working', 'unknown'].includes(answers.at(-1)!.state) && answers.length < 6);
  return { jobId, answers };
}

const statesOf = ({ answers }: { answers: Polled[] }) => answers.map(({ state }) => state);
const fileOf = (jobId: string) => fetch(`${sandbox.videoUrl}/videos/${jobId}/content?index=0`);

describe('the sandbox as a provider of videos', () => {
  it('works on a job for some time, and then has a film', async () => {
    const { jobId, answers } = await follow('A fox');

    expect(statesOf({ answers })).toEqual(['working', 'working', 'completed']);
    expect(answers.at(-1)).toEqual({ state: 'completed', files: [{ path: `/videos/${jobId}/content?index=0` }] });
    const file = await fileOf(jobId);
    expect(file.headers.get('content-type')).toBe('video/mp4');
    expect(readMp4(Buffer.from(await file.arrayBuffer())).samples).toHaveLength(4);
  });

  it('has no film before it is done', async () => {
    const submitted = await submit('A fox @sandbox polls=1');

    expect((await fileOf((submitted as { jobId: string }).jobId)).status).toBe(409);
  });

  it.each<[string, string[]]>([
    ['polls=0', ['completed']],
    ['polls=4', [...Array<string>(4).fill('working'), 'completed']],
    ['fail polls=1', ['working', 'failed']],
    ['expire polls=0', ['failed']],
    ['cancel polls=0', ['cancelled']],
    ['stall', Array<string>(6).fill('working')],
    ['garbage', Array<string>(6).fill('unknown')],
  ])('follows its prompt for a job: %s', async (words, states) => {
    expect(statesOf(await follow(`A fox\n@sandbox ${words}\nin the snow`))).toEqual(states);
  });

  it.each<[string, object]>([
    // After status 500, the provider may have accepted the job; after 429 and 400, it has not.
    ['error=500', { uncertain: 'The sandbox was asked to answer with status 500' }],
    ['error=429', { failed: 'The sandbox was asked to answer with status 429' }],
    ['error=400', { refused: 'The sandbox was asked to answer with status 400' }],
  ])('follows its prompt for the answer to a request: %s', async (words, expected) => {
    expect(await submit(`A fox @sandbox ${words}`)).toEqual(expected);
  });

  it('waits for the time in the prompt', async () => {
    const before = performance.now();

    await submit('A fox @sandbox slow=80');

    expect(performance.now() - before).toBeGreaterThanOrEqual(75);
  });

  it('can break off in the middle of a file', async () => {
    const { jobId } = await follow('A fox @sandbox cut polls=0');

    await expect((await fileOf(jobId)).arrayBuffer()).rejects.toThrow('terminated');
  });

  it('recognizes a repeated request', async () => {
    const one = await submit('A fox', {}, 'same');

    expect(await submit('A fox', {}, 'same')).toEqual(one);
    expect(await submit('A fox', {}, 'other')).not.toEqual(one);
  });

  it('accepts pictures in the gateway’s form', async () => {
    const first = { frame: 'first_frame', mediaType: 'image/png', base64: 'AAAA' } as const;

    expect(await submit('A fox', { frames: [first] })).toHaveProperty('jobId');
  });

  it.each<[Partial<VideoRequest>, string]>([
    [{ durationSeconds: 0 }, 'duration'],
    [{ aspectRatio: 'wide' }, 'aspect_ratio'],
    [{ prompt: undefined }, 'prompt'],
  ])('refuses %j', async (change, field) => {
    expect(await submit('A fox', change)).toEqual({ refused: expect.stringMatching(`^${field}: `) });
  });

  it('has no other jobs', async () => {
    expect((await send(wire.poll('film-of-somebody', target))).status).toBe(404);
  });
});
