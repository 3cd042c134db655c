import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { renderPage } from '../../lambdas/api/service/page.ts';
import { document } from '../support/openapi.ts';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';

const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);
const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--virtual-time-budget=20000',
];

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.stop());

/** What a page of another origin does, and what becomes of it, in its own document. */
const page = (baseUrl: string, key: string) => `<!doctype html><pre id="said"></pre><script type="module">
  const said = (what) => (document.getElementById('said').textContent += what + '\\n');
  try {
    const models = await (await fetch('${baseUrl}/models')).json();
    said('models ' + models.data.length);
    const answer = await fetch('${baseUrl}/messages', {
      method: 'POST',
      headers: { 'x-api-key': '${key}', 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'sandbox/claude', max_tokens: 50, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    said('generation ' + answer.headers.get('x-generation-id'));
    const text = await answer.text();
    said('ended ' + text.includes('message_stop'));
    const refused = await fetch('${baseUrl}/chat/completions', { method: 'POST', headers: { authorization: 'Bearer x' } });
    said('refused ' + refused.status);
  } catch (error) {
    said('failed ' + error);
  }
</script>`;

/** What a page has said when it is done. @param answers what the server of its origin gives, by path */
async function dumpOf(answers: Record<string, string>): Promise<string> {
  const server = await listen(
    createServer((request, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answers[request.url!] ?? ''),
    ),
  );
  const profile = mkdtempSync(join(tmpdir(), 'gateway-browser-'));
  try {
    const { stdout } = await promisify(execFile)(
      browser!,
      [...QUIET, `--user-data-dir=${profile}`, '--dump-dom', server.url],
      { encoding: 'utf8', timeout: 50_000 },
    );
    return stdout;
  } finally {
    await server.stop();
    rmSync(profile, { recursive: true, force: true });
  }
}

describe.skipIf(browser === undefined)('a page at another origin, in a browser', () => {
  it('reads models, streams a message, and reads a refusal', { timeout: 60_000 }, async () => {
    gateway = await startGateway();

    const said = await dumpOf({ '/': page(gateway.baseUrl, gateway.key) });

    expect(said).toMatch(/models \d+/);
    expect(said).toMatch(/generation gen-/);
    expect(said).toContain('ended true');
    expect(said).toContain('refused 404');
  });
});

describe.skipIf(browser === undefined)('the reference, in a browser', () => {
  it('fits windows of telephones, tablets and desks', { timeout: 60_000 }, async () => {
    const widths = [390, 768, 1280];
    const frames = widths.map(
      (width) => `<iframe src="/docs" style="border:0;width:${width}px;height:800px"></iframe>`,
    );
    const measuring = `<!doctype html><pre id="said"></pre>${frames.join('')}
      <script>for (const frame of document.querySelectorAll('iframe')) frame.onload = () =>
        (document.getElementById('said').textContent += frame.offsetWidth + ' shows ' +
          frame.contentDocument.documentElement.scrollWidth + '; ');</script>`;

    const said = await dumpOf({ '/': measuring, '/docs': renderPage(document) });

    const shown = [...said.matchAll(/(\d+) shows (\d+)/g)].map(([, width, wide]) => [Number(width), Number(wide)]);
    expect(shown.map(([width]) => width).toSorted((a, b) => a! - b!)).toEqual(widths);
    for (const [width, wide] of shown) expect(wide).toBeLessThanOrEqual(width!);
  });
});
