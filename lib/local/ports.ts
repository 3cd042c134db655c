import { createServer } from 'node:http';
import { closeServer, openServer } from '../../lambdas/server/listener.ts';
import { StartFailure } from '../shared/failure.ts';

/** No other machine can reach the loopback address. */
export const LOOPBACK_HOST = '127.0.0.1';

/**
 * Checks the port of the API, and the next port for the function URL; port 0 needs no check.
 * @throws {StartFailure} if one of these ports is in use or cannot be opened
 */
export async function checkPorts(port: number): Promise<void> {
  if (port === 0) return;
  for (const wanted of [port, port + 1]) {
    const server = createServer();
    await openAt(wanted, (at) => openServer(server, at));
    await closeServer(server);
  }
}

/**
 * Opens a port of the loopback address.
 * @throws {StartFailure} if the port cannot be opened
 */
export async function openAt<Opened>(
  port: number,
  open: (at: { port: number; host: string }) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open({ port, host: LOOPBACK_HOST });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new StartFailure(
        `Port ${port} is in use. Stop the process that uses it, or choose another port with --port.`,
      );
    }
    if (code === undefined) throw error;
    throw new StartFailure(`Port ${port} cannot be opened (${code}). Choose another port with --port.`);
  }
}
