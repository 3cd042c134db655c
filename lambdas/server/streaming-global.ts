import type { ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';

type StreamingHandler = (event: unknown, response: ServerResponse, context: Context) => Promise<void>;

/**
 * The part of Lambda's own global that streaming handlers use, outside of Lambda: the response stream is the HTTP response itself, and
 * the metadata becomes its head. Handlers look for it when they are loaded.
 */
export function installStreamingGlobal(): void {
  const streaming = {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from(response: ServerResponse, metadata: { statusCode: number; headers?: Record<string, string> }) {
        // An escaped fault was already answered: nobody reads this answer, and its writer must learn that.
        if (response.headersSent) return response.destroy();
        response.writeHead(metadata.statusCode, metadata.headers);
        return response;
      },
    },
  };
  Object.assign(globalThis, { awslambda: streaming });
}
