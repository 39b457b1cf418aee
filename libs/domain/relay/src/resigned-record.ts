import { Buffer } from 'node:buffer';
import { unsignedLeg, type Leg, type Operation } from '@switchyard/buys';
import { canonicalJson, isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import { hashOfBytes, type CustodyRecord } from './custody-record.js';

/** A leg that we sent ourselves, with what it was made from. */
export interface ResignedLeg {
  readonly leg: Leg;
  readonly operation: Operation;
  readonly principal: string;
  readonly sellerUrl: string;
  readonly credentialId?: string;
}

/**
 * What the chain of custody says of a request that was translated, split, and signed by us for one seller. What
 * arrived and what left differ in bytes, so the record says by name which members do. The id is the leg's own, so that
 * no leg is recorded twice.
 *
 * The hash of what arrived is of the request as we keep it, in canonical JSON, which is what our books can still show.
 */
export function resignedRecord(
  { leg, operation, principal, sellerUrl, credentialId }: ResignedLeg,
  ourKeyid: string | undefined,
  at: Instant,
): CustodyRecord {
  const arrived = bytesOf(operation.request);
  const sent = Buffer.from(leg.outbound, 'utf8');
  const isSigned = !leg.findings.some(({ code }) => code === unsignedLeg);
  const answer = leg.answer === undefined ? undefined : bytesOf(leg.answer);
  const { signedBy } = operation;
  const [failure] = leg.errors;
  return {
    id: leg.id,
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
      at: leg.sentAt ?? operation.createdAt,
      to: sellerUrl,
      bodyHash: hashOfBytes(sent),
      headersAdded: [
        ...(credentialId === undefined ? [] : ['authorization']),
        ...(isSigned ? ['content-digest', 'signature', 'signature-input'] : []),
      ],
      // Nothing of the buyer's header travels: ours is written from nothing, and its labels with it.
      headersRemoved: [],
      bodyChanges: changesIn(operation.request, leg.outbound),
      ...(credentialId === undefined ? {} : { credentialId }),
      ...(isSigned && ourKeyid !== undefined ? { ourKeyid } : {}),
    },
    outcome: outcomeOf(leg),
    ...(failure === undefined ? {} : { code: failure.code }),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            at: leg.observedAt ?? at,
            bodyHash: hashOfBytes(answer),
            bytes: answer.length,
            complete: true,
          },
        }),
  };
}

function outcomeOf({ status, errors }: Leg): CustodyRecord['outcome'] {
  if (status === 'parked') return 'unknown';
  const isOurs = errors.some(({ details }) => isJsonObject(details) && details['failure'] !== undefined);
  return status === 'failed' && isOurs ? 'unreachable' : 'answered';
}

/** Names of the members that were added, left out or written anew; values are in the two hashes. */
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
