import { createHash } from 'node:crypto';
import type { NotedHead } from '@switchyard/journal';
import { ledgerFormat, verifyLedgerExport } from '@switchyard/ledger';
import { err, ok, isJsonObject, parseStrictJson, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { Outcome, CliFailure } from './outcome.js';
import { cell } from './plain.js';
import { readStreamFile } from './read-stream-file.js';
import { linesOf, unreadable } from './read-input.js';

/**
 * Recomputes an exported ledger, and compares it with `anchors` and the exported messages in the file `messages`. Needs
 * no instance and no network.
 */
export async function verifyLedgerFile(
  deps: CliDeps,
  file: string,
  anchors: readonly NotedHead[] = [],
  messages?: string,
): Promise<Outcome> {
  const verdict = await readStreamFile(
    deps,
    file,
    { format: ledgerFormat, what: 'export of a ledger' },
    (stream) => verifyLedgerExport(stream, anchors),
  );
  if (!verdict.ok) return verdict;
  const { ok: holds, chain, head, kinds, spend: sums, faults } = verdict.value;
  const entryTotal = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  const foreign = anchors.find(({ stream }) => stream !== head.stream);
  if (foreign !== undefined)
    return err({ message: `The anchors are of ${foreign.stream}, and ${file} is ${head.stream}.` });
  const checked =
    messages === undefined ? undefined : await checkMessages(deps, messages, verdict.value.messages);
  if (checked?.ok === false) return checked;
  const evidence = checked?.value;
  const isChanged = evidence !== undefined && evidence.changed.length > 0;
  const json = {
    ok: holds && !isChanged,
    entries: entryTotal,
    head: head.hash,
    kinds,
    spend: sums.map(({ seller, currency, spend: amount }) => ({ seller, currency, spend: amount })),
    ...(chain.ok ? {} : { code: chain.code, block: chain.at.number.toString() }),
    ...(faults.length === 0 ? {} : { faults }),
    ...(evidence === undefined ? {} : { messages: evidence }),
  };
  const intact = `The ledger is intact: ${entryTotal} entries, head ${cell(head.hash)}.`;
  if (holds && evidence === undefined) return ok({ json, text: intact });
  if (holds && evidence !== undefined) {
    const { named, proven, changed } = evidence;
    const text = `${intact}\nIts entries name ${named} messages: the bytes of ${proven} are in ${cell(messages)} and have the hash.`;
    if (!isChanged) return ok({ json, text });
    const failed = `Changed since they were received: ${changed.slice(0, 10).join(', ')}${changed.length > 10 ? ` and ${changed.length - 10} more` : ''}.`;
    return ok({ json, text, failed });
  }
  const place = chain.ok ? `entry ${faults[0] ?? ''}` : `block ${chain.at.number}`;
  const failed = `The ledger is not intact: ${chain.ok ? 'unreadable' : chain.code} at ${place}.`;
  return ok({ json, text: failed, failed });
}

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
async function checkMessages(
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
