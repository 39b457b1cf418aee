import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SeverableProxy {
  readonly port: number;
  /** Closes every connection, and every new one at once, until `mend`. */
  sever(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A TCP proxy on loopback whose connections a test can cut. */
export async function severableProxy(target: { host: string; port: number }): Promise<SeverableProxy> {
  const sockets = new Set<Socket>();
  let severed = false;
  const server = createServer((inbound) => {
    if (severed) {
      inbound.destroy();
      return;
    }
    const outbound = connect(target);
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    sever: () => {
      severed = true;
      cut();
    },
    mend: () => {
      severed = false;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        cut();
      }),
  };
}
