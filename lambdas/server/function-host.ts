import type { ServerResponse } from 'node:http';

/** Answer of an HTTP function without streaming, in the form of API Gateway's proxy result. */
export interface ProxyResult {
  statusCode: number;
  headers?: Record<string, string | number | boolean>;
  body?: string;
  isBase64Encoded?: boolean;
}

/** Runs functions by their names in the manifest. */
export interface FunctionHost {
  /** @param clientLeft aborts when the client disconnects; undefined if that cannot be detected */
  invoke: (name: string, event: unknown, clientLeft?: AbortSignal) => Promise<unknown>;
  /** Runs a streaming function, which writes to the response. Resolves when the function has returned. */
  stream(name: string, event: unknown, response: ServerResponse): Promise<void>;
  /**
   * Ends the running answers, each with an error after which the client can retry. Absent if the host cannot notify
   * running functions.
   */
  endAnswers?: () => void;
  /** Waits until no function is running. */
  idle: () => Promise<void>;
  stop: () => Promise<void>;
}
