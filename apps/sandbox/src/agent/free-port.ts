import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The stored port if it is free, else a random free one below the range for outgoing connections, which systems do not
 * assign by themselves. Platforms store the address, so the port must be free again after a restart.
 */
export async function freePort(wanted: number | undefined): Promise<number> {
  const others = Array.from({ length: 100 }, () => randomInt(20_000, 32_000));
  for (const port of wanted === undefined ? others : [wanted, ...others])
    if (await canListen(port)) return port;
  throw new Error('no port of 100 on 127.0.0.1 is free');
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => {
      probe.close(() => resolve(true));
    });
  });
}
