import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

export interface Connections {
  /** From now on each answer announces the end of its connection, also an answer in progress. */
  endAfterAnswer(): void;
  /** Ends connections that wait for no answer. */
  endSilent(): void;
}

/**
 * Tracks which connections wait for no answer. Node ends those that are idle after an answer; for one that was opened
 * before its first request, as pooling clients do, it would wait until the client gives up.
 */
export function watchConnections(server: Server, tls: boolean): Connections {
  const open = new Set<Socket>();
  const busy = new Map<Socket, ServerResponse>();
  let isEnding = false;
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Runs before the answering handler, whose headers say whether the connection stays open.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.set(socket, response);
    if (isEnding) response.shouldKeepAlive = false;
    response.once('close', () => {
      busy.delete(socket);
      // An answer that had started by then could not announce it.
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

/**
 * Returns a function that says, at the end of each answer, what its connection has read and written since the answer
 * before: the request and the answer with their headers, in bytes. TLS is not counted.
 */
export function connectionBytes(): (socket: Socket) => {
  readonly bytesIn: number;
  readonly bytesOut: number;
} {
  const counted = new WeakMap<Socket, readonly [read: number, written: number]>();
  return (socket) => {
    const [read, written] = counted.get(socket) ?? [0, 0];
    const { bytesRead, bytesWritten } = socket;
    counted.set(socket, [bytesRead, bytesWritten]);
    return { bytesIn: bytesRead - read, bytesOut: bytesWritten - written };
  };
}

/** Fires when the connection ends before the answer: the caller has disconnected. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
