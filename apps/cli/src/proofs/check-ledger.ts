import { ledgerFormat, verifyLedgerExport, type LedgerEntry } from '@switchyard/ledger';
import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { CliFailure } from '../outcome.js';
import { readStreamFile } from '../read-stream-file.js';
import type { FindSigner } from './find-signer.js';
import { headsOf, senderKeysIn, signerOfChain, type JudgedHead } from './judge-chain.js';
import type { SignedHead } from './read-anchors.js';
import type { Proof } from './verdict.js';

/** An export of a ledger that was checked, with what other files are held against. */
export interface LedgerProof extends Proof {
  /** SHA-256 of the messages that its entries are based on. */
  readonly messages: ReadonlySet<string>;
  /** Operations that entries are of. */
  readonly operations: ReadonlySet<string>;
  /** Public keys of sellers, by `senderName`. */
  readonly keys: ReadonlyMap<string, readonly JsonObject[]>;
}

interface LedgerCheck {
  readonly find: FindSigner;
  /** Signed heads that were noted elsewhere. */
  readonly anchors: readonly SignedHead[];
  /** Heads that signed statements name. */
  readonly heads: readonly JudgedHead[];
  /** Sees each entry. */
  readonly watch: (entry: LedgerEntry, block: bigint) => void;
}

/** Recomputes an exported ledger, and compares it with signed heads. Needs no instance. */
export async function checkLedger(
  deps: CliDeps,
  file: string,
  { find, anchors, heads: stated, watch }: LedgerCheck,
): Promise<Result<LedgerProof, CliFailure>> {
  const operations = new Set<string>();
  const read = await readStreamFile(
    deps,
    file,
    { format: ledgerFormat, what: 'export of a ledger' },
    async (stream) => {
      const judged = await headsOf(stream, anchors, find);
      const heads = [...judged.heads, ...stated];
      const verdict = await verifyLedgerExport(stream, heads, (entry, block) => {
        operations.add(entry.operationId);
        watch(entry, block);
      });
      return { ...judged, heads, verdict, keys: senderKeysIn(stream) };
    },
  );
  if (!read.ok) return read;
  const { verdict, heads, faults: unsigned, keys } = read.value;
  const { chain, head, kinds, spend, faults: unreadable, messages } = verdict;
  const entryTotal = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  const place = chain.ok ? '' : `${chain.code} at block ${chain.at.number}`;
  const faults = [
    ...(chain.ok ? [] : [`The ledger is not intact: ${place}.`]),
    ...(unreadable.length === 0
      ? []
      : [`The ledger is not intact: unreadable at entry ${unreadable[0] ?? ''}.`]),
    ...unsigned,
  ];
  const signer = chain.ok ? signerOfChain(heads, chain) : undefined;
  return ok({
    kind: 'ledger',
    file,
    faults,
    holds: [`The ledger is intact: ${entryTotal} entries, head ${head.hash}.`],
    ...(signer !== undefined && { signer }),
    messages,
    operations,
    keys,
    json: {
      entries: entryTotal,
      head: head.hash,
      kinds: { ...kinds },
      spend: spend.map(({ seller, currency, spend: amount }) => ({ seller, currency, spend: amount })),
      ...(chain.ok ? {} : { code: chain.code, block: chain.at.number.toString() }),
      ...(unreadable.length === 0 ? {} : { faults: [...unreadable] }),
    },
  });
}
