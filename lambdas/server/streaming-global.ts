import type { ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';

type StreamingHandler = (event: unknown, response: ServerResponse, context: Context) => Promise<void>;

/**
 * The part of Lambda's global object that streaming handlers use, outside of Lambda. The response stream is the HTTP
 * response itself, and the metadata becomes its head. Handlers read the global when they are loaded.
 */
export function installStreamingGlobal(): void {
  const streaming = {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from(response: ServerResponse, metadata: { statusCode: number; headers?: Record<string, string> }) {
        // An uncaught fault was already answered. Nothing reads this answer, and its writer must notice that.
        if (response.headersSent) return response.destroy();
        response.writeHead(metadata.statusCode, metadata.headers);
        return response;
      },
    },
  };
  Object.assign(globalThis, { awslambda: streaming });
}
