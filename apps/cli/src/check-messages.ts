import { createHash } from 'node:crypto';
import { err, isJsonObject, ok, parseStrictJson, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure } from './outcome.js';
import { linesOf, unreadable } from './read-input.js';

/** What a file of sellers' messages proves about a ledger. */
interface MessageCheck {
  /** Messages that ledger entries name by hash. */
  readonly named: number;
  /** Those whose bytes are in the file and match the hash. */
  readonly proven: number;
  /** Ids of messages in the file whose bytes do not match the hash beside them. */
  readonly changed: readonly string[];
}

/** Reads the file that `events export` wrote, line by line, and hashes every message in it. */
export async function checkMessages(
  deps: CliDeps,
  file: string,
  named: ReadonlySet<string>,
): Promise<Result<MessageCheck, CliFailure>> {
  const isNone = (at: number): Result<never, CliFailure> =>
    err({ message: `${file} is no export of messages (at line ${at}).` });
  const missing = new Set(named);
  const changed: string[] = [];
  let at = 0;
  let ended = false;
  try {
    for await (const line of linesOf(deps, file)) {
      at += 1;
      if (line === '' || (at === 1 && line === '{"messages":[')) continue;
      if (at === 1 || ended) return isNone(at);
      ended = line === ']}';
      if (ended) continue;
      const parsed = parseStrictJson(Buffer.from(line.endsWith(',') ? line.slice(0, -1) : line));
      const message = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
      const { event_id: id, body_sha256: stated, body_base64: body } = message;
      if (typeof id !== 'string' || typeof stated !== 'string') return isNone(at);
      if (typeof body !== 'string') continue;
      const hash = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
      if (hash === stated) missing.delete(hash);
      else changed.push(id);
    }
  } catch (error) {
    return err(unreadable(file, error));
  }
  return ended ? ok({ named: named.size, proven: named.size - missing.size, changed }) : isNone(at);
}
