import type { Checkpoint } from '@switchyard/journal';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import type { LedgerCheck } from './verify-ledger.js';
import { instant } from '../platform/routes/fields.js';

/** The result of a verification of the ledger. */
export const verdict = z.strictObject({
  ok: z.boolean(),
  entries: z.int(),
  head: z.string().nullable().describe('Hash of the newest block; null while the journal is empty.'),
  since: z
    .strictObject({
      entries: z.int(),
      verified_at: instant,
      whole_at: instant.describe('When everything was last read.'),
    })
    .exactOptional()
    .describe('The checkpoint that reading began at; absent where everything was read.'),
  archived: z
    .strictObject({ before: z.string(), entries: z.int(), unchecked_anchors: z.int() })
    .exactOptional()
    .describe(
      'The beginning of the ledger that is in files, and was not read: its months, entries, and the anchors that were not compared.',
    ),
  reason: z.string().exactOptional().describe('What is broken first, when ok is false.'),
  problems: z
    .array(z.strictObject({ code: z.string(), message: z.string(), at: z.string() }))
    .exactOptional()
    .describe(
      'All that is broken, a hundred at most; at is an id, the number of a block or the key of a sum.',
    ),
  problem_total: z.int().exactOptional().describe('How many there are, those beyond the hundred included.'),
});
type LedgerVerdict = z.output<typeof verdict>;

const sinceOf = ({ head, verifiedAt, fullyVerifiedAt }: Checkpoint) => ({
  entries: Number(head.entryTotal),
  verified_at: isoOf(verifiedAt),
  whole_at: isoOf(fullyVerifiedAt),
});

export function verdictView({
  ok,
  entries,
  head,
  since,
  problems,
  problemTotal,
  archive,
  uncheckedAnchors = 0,
}: LedgerCheck): LedgerVerdict {
  const [problem] = problems;
  return {
    ok,
    entries: Number(entries),
    head: entries === 0n ? null : head.hash,
    ...(since && { since: sinceOf(since) }),
    ...(archive && {
      archived: {
        before: archive.before,
        entries: Number(archive.head.entryTotal),
        unchecked_anchors: uncheckedAnchors,
      },
    }),
    ...(problem && { reason: problem.message, problems: [...problems], problem_total: problemTotal }),
  };
}
