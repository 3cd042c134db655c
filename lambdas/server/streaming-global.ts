import type { ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';

type StreamingHandler = (event: unknown, response: ServerResponse, context: Context) => Promise<void>;

/**
 * Defines, outside Lambda, the part of its global object `awslambda` that streaming handlers use. Call it before
 * handlers are loaded, because they read the global object when they load.
 */
export function installStreamingGlobal(): void {
  const streaming = {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from(response: ServerResponse, metadata: { statusCode: number; headers?: Record<string, string> }) {
        // After an uncaught error, the client already has an error response. Destroying it shows the handler that
        // nothing reads its answer any more.
        if (response.headersSent) return response.destroy();
        response.writeHead(metadata.statusCode, metadata.headers);
        return response;
      },
    },
  };
  Object.assign(globalThis, { awslambda: streaming });
}
