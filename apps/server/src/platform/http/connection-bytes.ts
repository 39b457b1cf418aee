import type { Socket } from 'node:net';

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
