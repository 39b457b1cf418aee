import { createServer, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { err, ok, type Result } from '@switchyard/values';

/** The port unless one is set. */
const defaultPort = 7420;
const tries = 64;

/** Listens on the requested port, or, if it was only a preference, on the next free one. Answers the port. */
export async function listen(
  fastify: FastifyInstance,
  host: string,
  options: { readonly port?: number; readonly portIsExplicit?: boolean },
): Promise<Result<number, ServerFailure>> {
  const first = options.port ?? defaultPort;
  const last = options.portIsExplicit === true ? first : Math.min(first + tries, 65_535);
  for (let port = first; port <= last; port += 1) {
    try {
      await fastify.listen({ host, port });
      return ok((fastify.server.address() as AddressInfo).port);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EADDRINUSE' && !(code === 'EACCES' && options.portIsExplicit !== true)) {
        return err({
          code: 'cannot_listen',
          message: `Cannot listen on ${host}:${port} (${code ?? 'unknown'}).`,
        });
      }
    }
  }
  return err({
    code: 'port_taken',
    message:
      first === last
        ? portTaken(first, host)
        : `All ports from ${first} to ${last} on ${host} are taken. Choose one with --port.`,
  });
}

/** Refuses a requested port that is in use, before a database is made and started in vain. */
export async function refusePortInUse(
  host: string,
  options: { readonly port?: number; readonly portIsExplicit?: boolean },
): Promise<Result<undefined, ServerFailure>> {
  const { port } = options;
  if (port === undefined || options.portIsExplicit !== true) return ok(undefined);
  const probe = createServer();
  const isInUse = await new Promise<boolean>((resolve) => {
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    probe.listen(port, host, () => resolve(false));
  });
  await new Promise((resolve) => probe.close(resolve));
  return isInUse ? err({ code: 'port_taken', message: portTaken(port, host) }) : ok(undefined);
}

function portTaken(port: number, host: string): string {
  return `Port ${port} on ${host} is taken by another program. Choose another port with --port, or none for the next free one.`;
}

export interface ServerFailure {
  readonly code: 'port_taken' | 'address_refused' | 'cannot_listen';
  /** For a person: names the remedy. */
  readonly message: string;
}
