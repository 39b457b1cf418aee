import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** From now on each answer is the last of its connection, and says so, also one that is under way. */
  endAfterAnswer(): void;
  /** Ends those that wait for nothing. */
  endSilent(): void;
}

/**
 * Knows which connections wait for nothing. Node ends those that have answered once and are idle; one that was
 * opened ahead of its first request, as pooling clients do, it would wait for until the client gives up.
 */
export function watchConnections(server: Server, tls: boolean): Connections {
  const open = new Set<Socket>();
  const busy = new Map<Socket, ServerResponse>();
  let isEnding = false;
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Before whoever answers: its headers say whether the connection stays.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.set(socket, response);
    if (isEnding) response.shouldKeepAlive = false;
    response.once('close', () => {
      busy.delete(socket);
      // An answer that had begun by then could no longer say it.
      if (isEnding) socket.end();
    });
  });
  return {
    endAfterAnswer: () => {
      isEnding = true;
      for (const response of busy.values()) response.shouldKeepAlive = false;
    },
    endSilent: () => {
      for (const socket of open) if (!busy.has(socket)) socket.destroy();
    },
  };
}
