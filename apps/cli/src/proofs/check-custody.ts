import { custodyFormat, readRecordFacts, verifyCustody, type RecordFacts } from '@switchyard/relay';
import { ok, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { CliFailure } from '../outcome.js';
import { readStreamFile } from '../read-stream-file.js';
import type { FindSigner } from './find-signer.js';
import { MessageTally } from './check-messages.js';
import { headsOf, senderKeysIn, signerOfChain } from './judge-chain.js';
import type { SignedHead } from './read-anchors.js';
import type { Proof } from './verdict.js';

/** A chain of custody that was checked. */
export interface CustodyProof extends Proof {
  /** Operations that records name. */
  readonly operations: ReadonlySet<string>;
}

/**
 * Recomputes an exported chain of custody, its signed heads, the brand's signature in each record, and the sellers'
 * signatures of what they sent about its operations.
 */
export async function checkCustody(
  deps: CliDeps,
  file: string,
  { find, anchors }: { readonly find: FindSigner; readonly anchors: readonly SignedHead[] },
): Promise<Result<CustodyProof, CliFailure>> {
  const operations = new Set<string>();
  const signatures = { verified: 0, wrong: 0, absent: 0 };
  const faults: string[] = [];
  const see = (record: RecordFacts | undefined): void => {
    if (record === undefined) return;
    if (record.operationId !== undefined) operations.add(record.operationId);
    signatures[record.signature] += 1;
    if (record.signature === 'wrong')
      faults.push(`The signature in the record ${record.id} is not of the key in it.`);
  };
  const wanted = { format: custodyFormat, what: 'export of a chain of custody' };
  const read = await readStreamFile(deps, file, wanted, async (stream) => {
    const judged = await headsOf(stream, anchors, find);
    const verdict = await verifyCustody(stream, judged.heads, (body) => see(readRecordFacts(body)));
    const messages = new MessageTally(senderKeysIn(stream));
    const sent = { all: 0, named: 0 };
    if (verdict.ok)
      for await (const message of stream.messages ?? []) {
        sent.all += 1;
        const seen = await messages.add(message);
        if (seen === undefined) faults.push(`Its message ${sent.all} cannot be read.`);
        else if (seen.operationId !== undefined && operations.has(seen.operationId)) sent.named += 1;
      }
    return { ...judged, verdict, messages, sent };
  });
  if (!read.ok) return read;
  const { verdict, heads, messages, sent } = read.value;
  faults.push(...read.value.faults, ...messages.faults());
  const sealed = `${signatures.verified} of its records hold the brand's signature with the key that made it.`;
  if (!verdict.ok) {
    const record = verdict.record === undefined ? '' : `, record ${verdict.record}`;
    const broken = `The chain is broken: ${verdict.code} at block ${verdict.at.number}${record}.`;
    return ok({
      kind: 'custody',
      file,
      faults: [broken, ...faults],
      holds: [],
      operations,
      json: {
        records: 0,
        head: null,
        code: verdict.code,
        block: verdict.at.number.toString(),
        record: verdict.record ?? null,
      },
    });
  }
  const signer = signerOfChain(heads, verdict);
  return ok({
    kind: 'custody',
    file,
    faults,
    holds: [
      `The chain is intact: ${verdict.entries} records, head ${verdict.head.hash}. ${sealed}`,
      ...(sent.all === 0
        ? []
        : [
            `It holds ${sent.all} messages of sellers, ${sent.named} about operations that its records name: ${messages.signed} verify with the public key that the seller published then.`,
          ]),
    ],
    ...(signer !== undefined && { signer }),
    operations,
    json: {
      records: Number(verdict.entries),
      head: verdict.head.hash,
      signatures,
      messages: { sent: sent.all, named: sent.named, ...messages.json() },
    },
  });
}
