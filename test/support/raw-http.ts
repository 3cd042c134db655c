import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/** Sends the lines exactly as written, because HTTP clients would correct mistakes. */
export async function sendRaw(baseUrl: string, lines: string[], body = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const head = [...lines, `host: ${hostname}`, 'connection: close', `content-length: ${Buffer.byteLength(body)}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString();
  const [headers = '', ...rest] = answer.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1]), headers, body: rest.join('\r\n\r\n') };
}
