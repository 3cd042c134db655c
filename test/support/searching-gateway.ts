import { createServer } from 'node:http';
import { catalogDirectory, shippedCatalog, textModel } from './catalog.ts';
import { startGateway, type RunningGateway } from './gateway.ts';
import { listen } from './listen.ts';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

interface ModelTurn {
  text?: string;
  calls?: { id?: string; name?: string; input: unknown }[];
  usage?: { prompt: number; completion: number };
  /** HTTP status of an error instead of an answer. */
  status?: number;
  finish?: string;
  /** Index of the piece before which the connection is closed. */
  breaksAt?: number;
}

interface ModelRequest {
  messages: {
    role: string;
    content: unknown;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  tools?: { function: { name: string; description: string } }[];
  tool_choice?: unknown;
  max_tokens?: number;
}

export interface Page {
  title: string;
  url: string;
  content: string;
}

/** Gateway with a model and a search backend that answer as the test specifies. */
export interface SearchingGateway {
  gateway: RunningGateway;
  /** Requests to the model since the last call of `plays`, oldest first. */
  asked: ModelRequest[];
  /** Queries since the last call of `plays`. */
  queries: string[];
  /** Sets the model's next answers, the last of which is repeated. */
  plays: (...turns: ModelTurn[]) => void;
  behaves: (turnFor: (request: ModelRequest) => ModelTurn) => void;
  /** Pages that a query finds, or the HTTP status with which it fails. */
  finds: (find: (query: string) => Page[] | number | Promise<Page[] | number>) => void;
  stop: () => Promise<void>;
}

export const PRICES = { prompt: '0.001', completion: '0.002' };
/** Price of a search in the shipped catalog. */
export const SEARCH_PRICE = 0.99;

export const tower: Page[] = [
  {
    title: 'Tower',
    url: 'https://towers.example/ostankino',
    content: 'The tower in Ostankino is 540 metres high. It was opened in 1967.',
  },
  { title: 'Towers of the world', url: 'https://lists.example/towers', content: 'A list of towers by their height.' },
];

const unscripted = (): ModelTurn => ({ text: 'Nobody has said what to do.' });
const findTower = () => tower;

export async function startSearchingGateway(env: Record<string, string> = {}): Promise<SearchingGateway> {
  const asked: ModelRequest[] = [];
  const queries: string[] = [];
  let turnFor: (request: ModelRequest) => ModelTurn = unscripted;
  let find: Parameters<SearchingGateway['finds']>[0] = findTower;
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
      const url = new URL(request.url!, 'http://test');
      if (url.pathname === '/search') {
        const query = url.searchParams.get('q')!;
        queries.push(query);
        const found = await find(query);
        response.writeHead(typeof found === 'number' ? found : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ query, results: typeof found === 'number' ? [] : found }));
        return;
      }
      const got = JSON.parse(body) as ModelRequest;
      asked.push(got);
      const turn = turnFor(got);
      if (turn.status) {
        response.writeHead(turn.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: 'No.' } }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [index, chunk] of [...chunksOf(turn)].entries()) {
        if (index === turn.breaksAt) {
          response.destroy();
          return;
        }
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    })();
  });
  const upstream = await listen(server);
  const catalog = catalogDirectory(
    [
      textModel('test/model', [{ provider: 'scripted', pricing: PRICES }], {
        supported_parameters: ['tools', 'structured_outputs'],
      }),
      textModel('test/plain', [{ provider: 'scripted', pricing: PRICES }]),
      // The provider of this model can count the tokens of prompts.
      textModel('test/counted', [{ provider: 'counting', pricing: PRICES, quirks: { count_tokens: true } }], {
        supported_parameters: ['tools'],
      }),
    ],
    [
      {
        id: 'counting',
        name: 'Counting',
        wire: 'anthropic',
        base_url: upstream.url,
        data_policy: { logs_prompts: false, trains_on_prompts: false },
      },
      {
        id: 'scripted',
        name: 'Scripted',
        wire: 'openai-chat',
        base_url: upstream.url,
        data_policy: { logs_prompts: false, trains_on_prompts: false },
      },
    ],
  );
  copyFileSync(join(shippedCatalog, 'search.json'), join(catalog.path, 'search.json'));
  const gateway = await startGateway({
    args: ['--catalog', catalog.path],
    env: { SEARXNG_URL: upstream.url, CALLER_CACHE_MS: '1', ...env },
  });
  return {
    gateway,
    asked,
    queries,
    plays: (...played) => {
      const turns = [...played];
      turnFor = () => (turns.length > 1 ? turns.shift()! : turns[0]!);
      asked.length = 0;
      queries.length = 0;
    },
    behaves: (next) => (turnFor = next),
    finds: (next) => (find = next),
    stop: async () => {
      await gateway.stop();
      await upstream.stop();
      catalog.remove();
    },
  };
}

const chunk = (delta: object, reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: reason }],
});

function* chunksOf({ text = '', calls = [], usage = { prompt: 100, completion: 20 }, finish }: ModelTurn) {
  for (const piece of text.match(/[\s\S]{1,5}/gu) ?? []) yield chunk({ content: piece });
  for (const [index, { id, name = 'web_search', input }] of calls.entries()) {
    const args = JSON.stringify(input);
    yield chunk({
      tool_calls: [{ index, id: id ?? `call_${index}`, type: 'function', function: { name, arguments: '' } }],
    });
    for (const piece of args.match(/[\s\S]{1,7}/gu) ?? []) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'));
  const { prompt, completion } = usage;
  yield {
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}
