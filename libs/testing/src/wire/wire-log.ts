import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { tapTheWire, type Exchange } from './wire-tap.js';
import type { WireVerdict } from './wire-watch.js';

/**
 * Writes down every exchange at the HTTP servers of this process, one line each, as soon as the answer is out: a
 * process that is killed loses none. Gives what ends it.
 */
export function wireTapInto(folder: string): () => void {
  const file = join(folder, `${String(process.pid)}.jsonl`);
  return tapTheWire((exchange) => {
    if (isOfTasks(exchange)) appendFileSync(file, `${JSON.stringify(exchange)}\n`);
  });
}

/** What sellers tell us, and what consoles and probes ask, is no message of ours. */
function isOfTasks({ method, path }: Exchange): boolean {
  return method === 'POST' && !path.startsWith('/webhooks/') && !/^\/v1\/(?!tasks\/)/.test(path);
}

/** Adds what was held in a suite to the file that `SWITCHYARD_WIRE_LOG` names, one line each, for who wants to read it. */
export function tellWireVerdict({ held, unpublished, faults }: WireVerdict, suite: string): void {
  const log = process.env['SWITCHYARD_WIRE_LOG'];
  if (log === undefined) return;
  const told = { suite, held: [...held], unpublished: [...unpublished], faults };
  appendFileSync(log, `${JSON.stringify(told)}\n`);
}
