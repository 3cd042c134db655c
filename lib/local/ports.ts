import { createServer } from 'node:http';
import { closeServer, openServer } from '../../lambdas/server/listener.ts';
import { StartFailure } from '../shared/failure.ts';

/** Nobody but this machine reaches what listens here. */
export const LOOPBACK_HOST = '127.0.0.1';

/** @throws {StartFailure} when the API, or the function URL one port above, could not listen. */
export async function checkPorts(port: number): Promise<void> {
  if (port === 0) return;
  for (const wanted of [port, port + 1]) {
    const server = createServer();
    await openAt(wanted, (at) => openServer(server, at));
    await closeServer(server);
  }
}

/** Listens at a port of this machine. @throws {StartFailure} saying why that cannot be */
export async function openAt<Opened>(
  port: number,
  open: (at: { port: number; host: string }) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open({ port, host: LOOPBACK_HOST });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new StartFailure(`Port ${port} is in use. Stop what listens there, or choose another with --port.`);
    }
    if (code === undefined) throw error;
    throw new StartFailure(`Port ${port} cannot be opened (${code}).`);
  }
}
