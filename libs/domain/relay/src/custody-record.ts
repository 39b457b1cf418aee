import { hash } from 'node:crypto';
import { journalEntry, type JournalEntry } from '@switchyard/journal';
import { canonicalJson, isoOf, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';

/** One line of the verifier's checklist, as it was when the request arrived. */
interface CustodyStep {
  readonly step: string;
  readonly name: string;
  readonly ok: boolean;
  readonly seen: string;
}

/**
 * The outcome of one relayed request. `refused`: the relay refused it and sent nothing. `unreachable`: nothing was
 * sent. `unknown`: it was sent and no answer arrived, or the process died before it stored the outcome.
 */
export type CustodyOutcome = 'refused' | 'unreachable' | 'unknown' | 'answered';

/** Everything that the chain of custody records about one relayed request. Hashes are of the original bytes. */
export interface CustodyRecord {
  readonly id: string;
  /** `sealed`: sent byte for byte. `resigned`: translated, and signed by this relay for the seller. */
  readonly way: 'sealed' | 'resigned';
  readonly principalId: string;
  readonly principal: string;
  readonly seller: string;
  readonly task?: string;
  readonly operationId?: string;
  /** The request as it arrived. */
  readonly arrived: {
    readonly at: Instant;
    /** Empty if the body was not read. */
    readonly bodyHash: string;
    /** For a body that was not read: the length in its header, or 0 if the header has none. */
    readonly bytes: number;
    /** True if the body was refused for its size before it was read. */
    readonly isUnread?: true;
    /** As received; absent if the request had none. A signature is not secret. */
    readonly signature?: string;
    readonly signatureInput?: string;
    readonly contentDigest?: string;
    readonly keyid?: string;
    readonly signerAgentUrl?: string;
    /** The text that was signed (RFC 9421, 2.5): each covered component with its value. */
    readonly signedBase?: string;
    /** The public key that verified it, as it was then. */
    readonly publicKey?: JsonObject;
    /** The URL that the signature covers. */
    readonly signedUrl?: string;
    readonly steps: readonly CustodyStep[];
  };
  readonly delegationId?: string;
  /** The request that was sent, or was about to be sent when the process died; absent if nothing was sent. */
  readonly forwarded?: {
    readonly at: Instant;
    readonly to: string;
    readonly bodyHash: string;
    /** Names of the header fields that the relay added. */
    readonly headersAdded: readonly string[];
    /** Names of the header fields that were not sent to the seller. */
    readonly headersRemoved: readonly string[];
    /** Id of our credential. Its value is never recorded. */
    readonly credentialId?: string;
    readonly credentialVersion?: number;
    /** The key that we signed with; for `resigned` only. */
    readonly ourKeyid?: string;
    /** The changes to the body; for `resigned` only. */
    readonly bodyChanges?: readonly string[];
  };
  readonly outcome: CustodyOutcome;
  /** Present for a refusal or a failure. */
  readonly code?: string;
  readonly answer?: {
    readonly at: Instant;
    /** The HTTP status; absent for `resigned`, where the answer is the task's. */
    readonly status?: number;
    readonly bodyHash: string;
    readonly bytes: number;
    /** False if the stream ended early. */
    readonly complete: boolean;
  };
}

/** Returns the name of a principal's chain: its export verifies alone (docs/protocol/relay.md#custody). */
export function custodyStream(principalId: string): string {
  return `custody:${principalId}`;
}

/** Returns the SHA-256 of the bytes in lower-case hex. */
export function hashOfBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Returns the entry that the chain stores: canonical JSON (RFC 8785) with times in RFC 3339. */
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

/** Types a record as JSON and drops undefined members. The record is JSON once its times are strings. */
function plain(value: object): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, member as JsonValue]),
  );
}
