import type { NotedHead } from '@switchyard/journal';
import { ledgerFormat, verifyLedgerExport } from '@switchyard/ledger';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { Outcome } from './outcome.js';
import { cell } from './plain.js';
import { readStreamFile } from './read-stream-file.js';

/** Recomputes an exported ledger, and holds it against `anchors`. Needs no instance and calls nobody. */
export async function verifyLedgerFile(
  deps: CliDeps,
  file: string,
  anchors: readonly NotedHead[] = [],
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
  const json = {
    ok: holds,
    entries: entryTotal,
    head: head.hash,
    kinds,
    spend: sums.map(({ seller, currency, spend: amount }) => ({ seller, currency, spend: amount })),
    ...(chain.ok ? {} : { code: chain.code, block: chain.at.number.toString() }),
    ...(faults.length === 0 ? {} : { faults }),
  };
  if (holds)
    return ok({ json, text: `The ledger is intact: ${entryTotal} entries, head ${cell(head.hash)}.` });
  const place = chain.ok ? `entry ${faults[0] ?? ''}` : `block ${chain.at.number}`;
  const failed = `The ledger is not intact: ${chain.ok ? 'unreadable' : chain.code} at ${place}.`;
  return ok({ json, text: failed, failed });
}
