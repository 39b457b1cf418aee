import { hash } from 'node:crypto';
import { journalEntry, type JournalEntry } from '@switchyard/journal';
import { canonicalJson, isoOf, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';

/** One line of the verifier's checklist, as it stood when the request came. */
export interface CustodyStep {
  readonly step: string;
  readonly name: string;
  readonly ok: boolean;
  readonly seen: string;
}

/**
 * What became of one relayed request. `refused`: by us, nothing was sent. `unreachable`: nothing was sent. `unknown`:
 * it was passed on, and no answer came, or the process died before it could be noted.
 */
export type CustodyOutcome = 'refused' | 'unreachable' | 'unknown' | 'answered';

/** Everything that the chain of custody says of one relayed request. Times are instants; hashes are of bytes as they were. */
export interface CustodyRecord {
  readonly id: string;
  /** `sealed`: passed on byte for byte. `resigned`: translated, and signed by us for this seller. */
  readonly way: 'sealed' | 'resigned';
  readonly principalId: string;
  readonly principal: string;
  readonly seller: string;
  readonly task?: string;
  readonly operationId?: string;
  /** What arrived. */
  readonly arrived: {
    readonly at: Instant;
    /** Empty where the body was not read. */
    readonly bodyHash: string;
    /** Of a body that was not read: what its header says, 0 where that says nothing. */
    readonly bytes: number;
    /** True of a body that was refused for its size before it was read. */
    readonly isUnread?: true;
    /** As received; absent where there was none. A signature is no secret. */
    readonly signature?: string;
    readonly signatureInput?: string;
    readonly contentDigest?: string;
    readonly keyid?: string;
    readonly signerAgentUrl?: string;
    /** The address that was signed for. */
    readonly signedUrl?: string;
    readonly steps: readonly CustodyStep[];
  };
  readonly delegationId?: string;
  /** What was passed on, or was about to be when the process died; absent where nothing was. */
  readonly forwarded?: {
    readonly at: Instant;
    readonly to: string;
    readonly bodyHash: string;
    /** Names of the fields that the relay wrote itself. */
    readonly headersAdded: readonly string[];
    /** Names of the fields that stayed behind. */
    readonly headersRemoved: readonly string[];
    /** Ours, by id, never by value. */
    readonly credentialId?: string;
    readonly credentialVersion?: number;
    /** The key that signed for us, on the resigned way. */
    readonly ourKeyid?: string;
    /** What was changed in the body, on the resigned way. */
    readonly bodyChanges?: readonly string[];
  };
  readonly outcome: CustodyOutcome;
  /** Of a refusal or a failure. */
  readonly code?: string;
  readonly answer?: {
    readonly at: Instant;
    /** Of HTTP; absent on the resigned way, where the answer is the task's. */
    readonly status?: number;
    readonly bodyHash: string;
    readonly bytes: number;
    /** False where the stream broke off. */
    readonly complete: boolean;
  };
}

/** One chain per principal, so that its export verifies alone (docs/protocol/relay.md#custody). */
export function custodyStream(principalId: string): string {
  return `custody:${principalId}`;
}

/** SHA-256 of bytes as they were, in lower-case hex. */
export function hashOfBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The record as the chain holds it: canonical JSON (RFC 8785) with times as RFC 3339 texts. */
export function custodyEntry(record: CustodyRecord): JournalEntry {
  const { arrived, forwarded, answer } = record;
  const received: JsonObject = plain({
    ...record,
    kind: 'switchyard.custody.1',
    arrived: { ...arrived, at: isoOf(arrived.at) },
    ...(forwarded === undefined ? {} : { forwarded: { ...forwarded, at: isoOf(forwarded.at) } }),
    ...(answer === undefined ? {} : { answer: { ...answer, at: isoOf(answer.at) } }),
  });
  return journalEntry(canonicalJson(received));
}

/** A record is JSON already once its times are texts; this only says so to the compiler, without members that are not there. */
function plain(value: object): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, member as JsonValue]),
  );
}
