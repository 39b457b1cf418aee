import { publicPart } from '@switchyard/signing';
import { hashOfBytes, type CustodyRecord, type SealedRefusal, type SealedRequest } from '@switchyard/relay';
import type { Clock } from '@switchyard/values';
import type { SealedCallIn } from '../relay.js';

/** A record before the outcome of its request is known. */
export type Draft = Omit<CustodyRecord, 'outcome'>;

interface RecordDeps {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The record of a request before anything of it was read. */
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

/** Adds what was verified. */
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
      signedBase: verdict.base,
      publicKey: publicPart(verdict.jwk),
      signedUrl,
      steps: verdict.steps,
    },
  };
}

/** Adds what is forwarded, the target, and what the relay adds. */
export function withForwarding(
  deps: Pick<RecordDeps, 'clock'>,
  record: Draft,
  { headers }: SealedRequest,
  {
    credential,
    to,
  }: {
    readonly credential: { readonly id: string; readonly version: number } | undefined;
    readonly to: string;
  },
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

/** Adds the names of the headers for this seller's session and version, which are known only at the call. */
export function withLane(record: Draft, ofLane: Readonly<Record<string, string>>): Draft {
  const { forwarded } = record;
  if (forwarded === undefined) return record;
  const headersAdded = [...new Set([...forwarded.headersAdded, ...Object.keys(ofLane)])].toSorted();
  return { ...record, forwarded: { ...forwarded, headersAdded } };
}

/** Adds what a refused request contained. Texts of a stranger are cut to a length. */
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
