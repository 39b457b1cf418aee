import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections wait for nothing. Node ends those that have answered once and are idle; one that was
 * opened ahead of its first request, as pooling clients do, it would wait for until the client gives up.
 */
export function silentConnections(server: Server, tls: boolean): { end(): void } {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    busy.add(request.socket);
    response.once('close', () => busy.delete(request.socket));
  });
  return {
    end: () => {
      for (const socket of open) if (!busy.has(socket)) socket.destroy();
    },
  };
}
