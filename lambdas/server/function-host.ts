import type { ServerResponse } from 'node:http';

/** Result of a function, in the format of API Gateway's proxy result. */
export interface ProxyResult {
  statusCode: number;
  headers?: Record<string, string | number | boolean>;
  body?: string;
  isBase64Encoded?: boolean;
}

/** Runs functions by their name in the manifest. */
export interface FunctionHost {
  /**
   * Runs a non-streaming function, and returns its result.
   * @param clientLeft aborts when the client disconnects; undefined if that cannot be detected
   */
  invoke: (name: string, event: unknown, clientLeft?: AbortSignal) => Promise<unknown>;
  /** Runs a streaming function, and resolves when it has returned. */
  stream(name: string, event: unknown, response: ServerResponse): Promise<void>;
  /**
   * Ends the running answers, each with an error after which the client can retry. Undefined if the host cannot do
   * that.
   */
  endAnswers?: () => void;
  /** Resolves when no function is running. */
  idle: () => Promise<void>;
  stop: () => Promise<void>;
}
