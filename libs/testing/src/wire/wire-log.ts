import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tapTheWire, type Exchange } from './wire-tap.js';

/**
 * Writes down every exchange at the HTTP servers of this process, one line each, as soon as the answer is out: a
 * process that is killed loses none. Its file is open from the start: whoever reads the folder may remove it while
 * processes go on, and what they then hear is nobody's, not a fault of theirs. Gives what ends it.
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

/** A process may be started when its suite is over and the folder has gone: then nobody listens. */
function openedIn(folder: string): number | undefined {
  try {
    return openSync(join(folder, `${String(process.pid)}.jsonl`), 'a');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What sellers tell us, and what consoles and probes ask, is no message of ours. */
function isOfTasks({ method, path }: Exchange): boolean {
  return method === 'POST' && !path.startsWith('/webhooks/') && !/^\/v1\/(?!tasks\/)/.test(path);
}
