import { Buffer } from 'node:buffer';
import { unsignedLeg, type Leg, type Operation } from '@switchyard/buys';
import { defined, canonicalJson, isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import { hashOfBytes, type CustodyRecord } from './custody-record.js';

/** A leg that we sent ourselves, with its source. */
export interface ResignedLeg {
  readonly leg: Leg;
  readonly operation: Operation;
  readonly principal: string;
  readonly sellerUrl: string;
  readonly credentialId?: string;
}

/** One request of a leg: the last one, or an earlier one that the seller refused to read. */
interface OneSending {
  readonly id: string;
  readonly outbound: string;
  readonly sentAt?: Instant;
  readonly isSigned: boolean;
  readonly answer?: JsonObject;
  readonly answeredAt?: Instant;
  readonly outcome: CustodyRecord['outcome'];
  readonly code?: string;
}

/**
 * Returns the custody records of a request that was translated, split, and signed by us for one seller: one record for
 * each time it was written, oldest first, because the bytes differ each time. A record names the members that differ
 * between the received and the sent body. The last record has the leg's id, so that no leg is recorded twice. The hash
 * of the received request is of its stored canonical JSON, because the original bytes are not stored.
 */
export function resignedRecords(
  resigned: ResignedLeg,
  ourKeyid: string | undefined,
  at: Instant,
): readonly CustodyRecord[] {
  const { leg } = resigned;
  const before = (leg.refusedAttempts ?? []).map((sending): OneSending => {
    const [failure] = sending.errors;
    return {
      ...sending,
      isSigned: sending.unsigned !== true,
      outcome: 'answered',
      ...(failure === undefined ? {} : { code: failure.code }),
    };
  });
  const [failure] = leg.errors;
  const last: OneSending = {
    id: leg.id,
    outbound: leg.outbound,
    isSigned: !leg.findings.some(({ code }) => code === unsignedLeg),
    outcome: outcomeOf(leg),
    ...defined({ sentAt: leg.sentAt, answer: leg.answer, answeredAt: leg.observedAt }),
    ...(failure === undefined ? {} : { code: failure.code }),
  };
  return [...before, last].map((sending) => recordOf(resigned, sending, ourKeyid, at));
}

function recordOf(
  { leg, operation, principal, sellerUrl, credentialId }: ResignedLeg,
  sending: OneSending,
  ourKeyid: string | undefined,
  at: Instant,
): CustodyRecord {
  const { isSigned } = sending;
  const arrived = bytesOf(operation.request);
  const sent = Buffer.from(sending.outbound, 'utf8');
  const answer = sending.answer === undefined ? undefined : bytesOf(sending.answer);
  const { signedBy } = operation;
  return {
    id: sending.id,
    way: 'resigned',
    principalId: operation.principalId,
    principal,
    seller: leg.seller,
    task: leg.task,
    operationId: operation.id,
    arrived: {
      at: operation.createdAt,
      bodyHash: hashOfBytes(arrived),
      bytes: arrived.length,
      steps: [],
      ...(signedBy === undefined ? {} : { keyid: signedBy.keyid, signerAgentUrl: signedBy.agentUrl }),
    },
    forwarded: {
      at: sending.sentAt ?? operation.createdAt,
      to: sellerUrl,
      bodyHash: hashOfBytes(sent),
      headersAdded: [
        ...(credentialId === undefined ? [] : ['authorization']),
        ...(isSigned ? ['content-digest', 'signature', 'signature-input'] : []),
      ],
      // No header of the buyer is sent to the seller: we write our own headers and signature labels.
      headersRemoved: [],
      bodyChanges: changesIn(operation.request, sending.outbound),
      ...(credentialId === undefined ? {} : { credentialId }),
      ...(isSigned && ourKeyid !== undefined ? { ourKeyid } : {}),
    },
    outcome: sending.outcome,
    ...(sending.code === undefined ? {} : { code: sending.code }),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            at: sending.answeredAt ?? at,
            bodyHash: hashOfBytes(answer),
            bytes: answer.length,
            complete: true,
          },
        }),
  };
}

function outcomeOf({ status, errors }: Leg): CustodyRecord['outcome'] {
  if (status === 'parked') return 'unknown';
  const isLocal = errors.some(({ details }) => isJsonObject(details) && details['failure'] !== undefined);
  return status === 'failed' && isLocal ? 'unreachable' : 'answered';
}

/** Returns the names of members that were added, removed or changed. The two hashes cover the values. */
function changesIn(request: JsonObject, outbound: string): readonly string[] {
  const sent: unknown = JSON.parse(outbound);
  if (!isJsonObject(sent)) return [];
  const names = [...new Set([...Object.keys(request), ...Object.keys(sent)])].toSorted();
  return names.flatMap((name) => {
    const [before, after] = [request[name], sent[name]];
    if (before === undefined) return [`added ${name}`];
    if (after === undefined) return [`removed ${name}`];
    return canonicalJson(before) === canonicalJson(after) ? [] : [`changed ${name}`];
  });
}

function bytesOf(value: JsonObject): Buffer {
  return Buffer.from(canonicalJson(value), 'utf8');
}
