import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (dataFolder: string): string => join(dataFolder, 'doors-port');

/**
 * The port of the last start on this folder. Sellers send webhooks to the registered address, so the next start uses
 * the same port if it can.
 */
export function lastPort(dataFolder: string): number | undefined {
  try {
    const port = Number(readFileSync(fileOf(dataFolder), 'utf8'));
    return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function rememberPort(dataFolder: string, port: number): void {
  writeFileSync(fileOf(dataFolder), `${port}\n`, { mode: 0o600 });
}
