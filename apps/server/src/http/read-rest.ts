import type { IncomingMessage } from 'node:http';

/** How much of an unwanted body is still read, in bytes, and for how long, in milliseconds. */
const mostBytes = 16 * 1024 * 1024;
const mostMs = 3_000;

/**
 * Reads and discards the rest of a body. A sender that is disconnected while it writes would see a broken connection
 * instead of the answer; one that never stops is disconnected in the end.
 */
export function readRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > mostBytes) over();
    };
    const over = (): void => {
      clearTimeout(timeout);
      request.off('data', count).off('end', over).off('close', over);
      resolve();
    };
    const timeout = setTimeout(over, mostMs);
    request.on('data', count).once('end', over).once('close', over).resume();
  });
}
