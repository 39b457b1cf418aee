import { isFirstLine, type NotedHead } from '@switchyard/journal';
import { verifyLedgerExport, verifyLedgerLines, type ExportVerdict } from '@switchyard/ledger';
import { err, ok, parseStrictJson, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure, Outcome } from './outcome.js';
import { cell } from './plain.js';
import { linesOf, unreadable } from './read-input.js';

/** Recomputes an exported ledger, and holds it against `anchors`. Needs no instance and calls nobody. */
export async function verifyLedgerFile(
  deps: CliDeps,
  file: string,
  anchors: readonly NotedHead[] = [],
): Promise<Outcome> {
  const verdict = await verdictOn(deps, file, anchors);
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

/** Line by line where the file is as `ledger export` wrote it, so that its size does not matter; else as a whole. */
async function verdictOn(
  deps: CliDeps,
  file: string,
  anchors: readonly NotedHead[],
): Promise<Result<ExportVerdict, CliFailure>> {
  try {
    const lines = linesOf(deps, file);
    const first = (await lines.next()).value as string;
    if (isFirstLine(first)) {
      const verdict = await verifyLedgerLines(first, lines, anchors);
      return verdict.ok ? verdict : err(noExport(file, verdict.error.field));
    }
    const rest = [first];
    for await (const line of lines) rest.push(line);
    const parsed = parseStrictJson(Buffer.from(rest.join('\n')), wholeAtMost);
    if (!parsed.ok) return err({ message: `${file} is not usable JSON: ${parsed.error.message}.` });
    const verdict = await verifyLedgerExport(parsed.value.value, anchors);
    return verdict.ok ? verdict : err(noExport(file, verdict.error.field));
  } catch (error) {
    return err(unreadable(file, error));
  }
}

const wholeAtMost = { maxBytes: 512 * 1024 * 1024, maxMembers: 20_000_000 };

const noExport = (file: string, field: string): CliFailure => ({
  message: `${file} is no export of a ledger (at ${field}).`,
});
