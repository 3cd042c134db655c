import { once } from 'node:events';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, type Listening } from './listen.ts';

interface PassedRequest {
  path: string;
  headers: OutgoingHttpHeaders;
}

interface PassedAnswer {
  path: string;
  status: number;
  headers: OutgoingHttpHeaders;
  /** Replaces the original body, if it is set. */
  body?: string;
}

/** Messages that the fault does not change are passed on unchanged. */
export interface Breakage {
  request?: (request: PassedRequest) => void;
  /** Changes the response to the client. A body that the function sets replaces the gateway's body. */
  answer?: (answer: PassedAnswer) => void;
  /** Whether the proxy passes responses on only when they are complete. */
  isBuffering?: boolean;
}

/** Starts a proxy with one fault as caused by real proxies, CDNs or wrong settings. */
export function startBreakingProxy(target: string, breakage: Breakage): Promise<Listening> {
  const server = http.createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function pass(incoming: IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const request: PassedRequest = { path: incoming.url!, headers: { ...incoming.headers } };
    breakage.request?.(request);
    const asking = http.request(target, { method: incoming.method!, ...request });
    incoming.pipe(asking);
    const [reply] = (await once(asking, 'response')) as [IncomingMessage];
    const answer: PassedAnswer = { path: request.path, status: reply.statusCode!, headers: { ...reply.headers } };
    breakage.answer?.(answer);
    if (answer.body !== undefined) {
      reply.resume();
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    const whole = breakage.isBuffering ? await buffer(reply) : undefined;
    outgoing.writeHead(answer.status, answer.headers);
    if (whole) outgoing.end(whole);
    else reply.pipe(outgoing);
  }

  return listen(server);
}
