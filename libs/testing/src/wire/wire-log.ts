import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tapTheWire, type Exchange } from './wire-tap.js';

/**
 * Writes every exchange of this process's HTTP servers, one line each, as soon as the answer is sent: a killed process
 * loses none. The file is open from the start, so the folder may be removed while processes run: later lines are then
 * lost without an error. Returns the function that ends it.
 */
export function wireTapInto(folder: string): () => void {
  const file = openedIn(folder);
  if (file === undefined) return () => undefined;
  const untap = tapTheWire((exchange) => {
    if (isOfTasks(exchange)) writeSync(file, `${JSON.stringify(exchange)}\n`);
  });
  return () => {
    untap();
    closeSync(file);
  };
}

/** A process may start after its suite, when the folder is gone: then nothing is recorded. */
function openedIn(folder: string): number | undefined {
  try {
    return openSync(join(folder, `${String(process.pid)}.jsonl`), 'a');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Webhooks of sellers, and requests of consoles and probes, are no messages of ours. */
function isOfTasks({ method, path }: Exchange): boolean {
  return method === 'POST' && !path.startsWith('/webhooks/') && !/^\/v1\/(?!tasks\/)/.test(path);
}
