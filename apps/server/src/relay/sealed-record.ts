import { hashOfBytes, type CustodyRecord, type SealedRefusal, type SealedRequest } from '@switchyard/relay';
import type { Clock } from '@switchyard/values';
import type { SealedCallIn } from '../tasks/ports/relay.js';

/** A record before it is known how its request ended. */
export type Draft = Omit<CustodyRecord, 'outcome'>;

interface RecordDeps {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** What is known of a request before anything of it was read. */
export function draftOf(deps: RecordDeps, call: SealedCallIn): Draft {
  return {
    id: deps.newId(),
    way: 'sealed',
    principalId: call.caller.principalId,
    principal: call.caller.name,
    seller: call.seller.slice(0, 100),
    arrived: {
      at: deps.clock.now(),
      bodyHash: hashOfBytes(call.body),
      bytes: call.body.length,
      steps: [],
    },
  };
}

/** With what was verified. */
export function withRequest(record: Draft, request: SealedRequest, signedUrl: string): Draft {
  const { headers, verdict, call } = request;
  return {
    ...record,
    task: call.spec.name,
    arrived: {
      ...record.arrived,
      signature: headers.forwarded.signature,
      signatureInput: headers.forwarded['signature-input'],
      contentDigest: headers.forwarded['content-digest'],
      keyid: verdict.signer.keyid,
      signerAgentUrl: verdict.signer.agentUrl,
      signedUrl,
      steps: verdict.steps,
    },
  };
}

/** With what is passed on, where to, and what the relay puts beside it. */
export function withForwarding(
  deps: Pick<RecordDeps, 'clock'>,
  record: Draft,
  { headers }: SealedRequest,
  credential: { readonly id: string; readonly version: number } | undefined,
  to: string,
): Draft {
  return {
    ...record,
    forwarded: {
      at: deps.clock.now(),
      to,
      bodyHash: record.arrived.bodyHash,
      headersAdded: [
        'accept',
        'accept-encoding',
        ...(credential === undefined ? [] : ['authorization']),
        'connection',
        'content-length',
        'host',
      ],
      headersRemoved: headers.leftBehind,
      ...(credential === undefined
        ? {}
        : { credentialId: credential.id, credentialVersion: credential.version }),
    },
  };
}

/** With the names of what the way to this seller adds: its session and the version spoken are known on the way alone. */
export function withLane(record: Draft, ofLane: Readonly<Record<string, string>>): Draft {
  const { forwarded } = record;
  if (forwarded === undefined) return record;
  const headersAdded = [...new Set([...forwarded.headersAdded, ...Object.keys(ofLane)])].toSorted();
  return { ...record, forwarded: { ...forwarded, headersAdded } };
}

/** With what a refused request has shown. Texts of a stranger are kept to a length. */
export function withRefusal(bare: Draft, signedUrl: string, refusal: SealedRefusal): Draft {
  const { forwarded } = refusal.headers ?? {};
  const signer = refusal.verdict?.signer;
  return {
    ...bare,
    ...(refusal.task === undefined ? {} : { task: refusal.task }),
    arrived: {
      ...bare.arrived,
      signedUrl,
      steps: refusal.verdict?.steps ?? [],
      ...(forwarded === undefined
        ? {}
        : {
            signature: forwarded.signature.slice(0, 1024),
            signatureInput: forwarded['signature-input'].slice(0, 2048),
            contentDigest: forwarded['content-digest'].slice(0, 256),
          }),
      ...(signer === undefined ? {} : { keyid: signer.keyid, signerAgentUrl: signer.agentUrl }),
    },
  };
}
