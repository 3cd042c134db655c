import type { ServerResponse } from 'node:http';

/** The answer of an HTTP function that does not stream: API Gateway's proxy result. */
export interface ProxyResult {
  statusCode: number;
  headers?: Record<string, string | number | boolean>;
  body?: string;
  isBase64Encoded?: boolean;
}

/** Runs functions by the name they have in the manifest. */
export interface FunctionHost {
  /** @param clientLeft aborts when the client disconnects; undefined if that cannot be noticed */
  invoke: (name: string, event: unknown, clientLeft?: AbortSignal) => Promise<unknown>;
  /** Runs a streaming function into a response; resolves when the function has returned. */
  stream(name: string, event: unknown, response: ServerResponse): Promise<void>;
  /** Ends the answers that are on their way, each with an error that its client can repeat; where functions can be told. */
  endAnswers?: () => void;
  /** Resolves when no function runs. */
  idle: () => Promise<void>;
  stop: () => Promise<void>;
}
