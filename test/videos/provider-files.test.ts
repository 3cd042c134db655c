import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import { readText } from '../../lambdas/providers/http/read-text.ts';
import { jobWire } from '../../lambdas/providers/job-wires.ts';
import type { JobCandidate } from '../../lambdas/routing/job-candidates.ts';
import { openFile } from '../../lambdas/inference/jobs/provider-files.ts';
import { candidateAt } from '../support/candidate.ts';
import { listen, type Listening } from '../support/listen.ts';
import { keepLog } from '../support/log-lines.ts';

type VideoWireName = WireOf<'video'>;

let provider: Listening;
let elsewhere: Listening;
let requests: { host: string; path: string; credential: string | undefined }[];
let answers: Record<string, (response: ServerResponse) => void>;

const serve = (host: string) =>
  createServer(({ url, headers }: IncomingMessage, response) => {
    requests.push({ host, path: url!, credential: headers.authorization });
    (answers[`${host} ${url}`] ?? ((response) => response.writeHead(404).end()))(response);
  });

beforeAll(async () => {
  provider = await listen(serve('provider'));
  elsewhere = await listen(serve('elsewhere'));
});
afterAll(() => Promise.all([provider.stop(), elsewhere.stop()]));
beforeEach(() => {
  requests = [];
  answers = {};
});

const film = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'video/mp4' }).end('a film');
const json = (body: object) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
const redirect = (location: string) => (response: ServerResponse) => response.writeHead(302, { location }).end();

function candidate(wire: VideoWireName = 'video-jobs'): JobCandidate {
  const { model, endpoint } = candidateAt(`${provider.url}/v1`);
  const shown = { ...endpoint, auth: 'bearer' };
  const target = { upstreamModel: 'm', quirks: {} };
  return { model, endpoint: shown, credential: 'sk-secret', wire: jobWire(wire)!, target } as JobCandidate;
}

const open = async (path: string, wire?: VideoWireName) => {
  const { mediaType, body } = await openFile(candidate(wire), { path }, { mediaType: 'video/mp4', remainingMs: 2_000 });
  return { mediaType, text: await readText(body, 1_000) };
};
const asked = () => requests.map(({ host, path, credential }) => [host, path, credential]);

it('the download of a video sends the credential to the provider', async () => {
  answers['provider /v1/files/1'] = film;

  expect(await open('/files/1')).toEqual({ mediaType: 'video/mp4', text: 'a film' });
  expect(asked()).toEqual([['provider', '/v1/files/1', 'Bearer sk-secret']]);
});

it('the download of a video follows a redirect to another path of the provider', async () => {
  answers['provider /v1/files/1'] = redirect('/download/v1/files/1?alt=media');
  answers['provider /download/v1/files/1?alt=media'] = film;

  expect(await open('/files/1')).toMatchObject({ text: 'a film' });
  expect(asked()[1]).toEqual(['provider', '/download/v1/files/1?alt=media', 'Bearer sk-secret']);
});

it('the download of a video sends no credential to another host', async () => {
  answers['provider /v1/files/1'] = redirect(`${elsewhere.url}/film.mp4`);
  answers['elsewhere /film.mp4'] = film;

  expect(await open('/files/1')).toMatchObject({ text: 'a film' });
  expect(asked()[1]).toEqual(['elsewhere', '/film.mp4', undefined]);
});

it('the download of a video does not follow redirects into private networks', async () => {
  answers['provider /v1/files/1'] = redirect('http://169.254.169.254/latest/meta-data/');

  await expect(open('/files/1')).rejects.toMatchObject({ name: 'FetchError', reason: 'not_public' });
});

it('the download of a video stops at a redirect loop', async () => {
  answers['provider /v1/files/1'] = redirect('/v1/files/1');

  await expect(open('/files/1')).rejects.toThrow('redirected the download of a file too many times');
  expect(requests).toHaveLength(4);
});

it("the download of a video uses the URL in the provider's answer", async () => {
  answers['provider /v1/files/retrieve?file_id=1'] = json({ file: { download_url: `${elsewhere.url}/film.mp4` } });
  answers['elsewhere /film.mp4'] = film;

  expect(await open('/files/retrieve?file_id=1', 'minimax-video')).toMatchObject({ text: 'a film' });
  expect(asked()[1]).toEqual(['elsewhere', '/film.mp4', undefined]);
});

it('the download of a video refuses an HTML page', async () => {
  answers['provider /v1/files/1'] = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');

  await expect(open('/files/1')).rejects.toThrow('answered with status 200 instead of a file');
});

it.each<VideoWireName>(['video-jobs', 'minimax-video'])(
  'the download of a video with %s refuses an error document',
  async (wire) => {
    answers['provider /v1/files/1'] = json({ base_resp: { status_code: 1004, status_msg: 'login fail' } });

    await expect(open('/files/1', wire)).rejects.toThrow('answered with status 200 instead of a file');
  },
);

it.each([
  ['a status', (response: ServerResponse) => response.writeHead(401).end()],
  ['a message', json({ base_resp: { status_code: 1004, status_msg: 'login fail' } })],
])(
  'the download of a video raises the alarm if the provider refuses the account of the operator by %s',
  async (_how, answer) => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const lines = keepLog();
    answers['provider /v1/files/1'] = answer;

    await expect(open('/files/1', 'minimax-video')).rejects.toThrow('instead of a file');

    expect(lines).toMatchObject([{ message: 'provider refuses the operator', provider: 'acme' }]);
  },
);

it('the download of a video raises no alarm if the file is gone', async () => {
  const lines = keepLog();

  await expect(open('/files/1')).rejects.toThrow('status 404');

  expect(lines).toEqual([]);
});
