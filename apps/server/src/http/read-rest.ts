import type { IncomingMessage } from 'node:http';

/** How much of a body nobody wants is read all the same, in bytes, and for how long, in milliseconds. */
const mostBytes = 16 * 1024 * 1024;
const mostMs = 3_000;

/**
 * Reads the rest of a body and forgets it. A sender that is cut off while it writes sees a broken connection instead
 * of the answer that says why; one that never stops is cut off in the end.
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
