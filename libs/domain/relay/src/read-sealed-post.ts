import type { Buffer } from 'node:buffer';
import { dialects, selfAssertionIn, type Dialect } from '@switchyard/protocol';
import { requestProfile, type ReceivedMessage, type SigningProfile, type Verdict } from '@switchyard/signing';
import { err, isJsonObject, ok, type Result } from '@switchyard/values';
import { readSealedCall, type SealedCall } from './read-sealed-call.js';
import type { RelayFaultCode } from './relay-fault.js';
import { scanSealed } from './scan-sealed.js';
import { splitSealedHeaders, type SealedHeaders } from './sealed-headers.js';

/** A sealed request as it came. */
export interface SealedPost {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The seller that it was signed for. */
export interface SealedTarget {
  /** The seller's own address, which is what the signature covers: never ours. */
  readonly url: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: Dialect;
}

export type VerifySealed = (message: ReceivedMessage, profile: SigningProfile) => Promise<Verdict>;

export interface SealedRequest {
  readonly headers: SealedHeaders;
  readonly call: SealedCall;
  readonly verdict: Extract<Verdict, { ok: true }>;
}

/** What a refusal leaves for the record. Nothing of the body is in it: a refused body may hold a secret. */
export interface SealedRefusal {
  /** One of the relay's own, or the verifier's. */
  readonly code: RelayFaultCode | (string & {});
  /** Which header or member, where there is one; never a value. */
  readonly field?: string;
  readonly headers?: SealedHeaders;
  readonly task?: string;
  /** Absent where the signature was not looked at. */
  readonly verdict?: Pick<Verdict, 'steps' | 'signer'>;
}

/**
 * Reads one sealed request in the order that is the contract: the lines of the header, the signature exactly as the
 * seller will verify it, what it calls, and whether it carries a secret. Nothing of the body is believed before the
 * signature over it holds.
 *
 * The digest is always required: a signature that does not cover it would let whoever stands in between exchange the
 * body (docs/protocol/relay.md#admission). The verifier sees the seller's host, because that is the host which was
 * signed.
 */
export async function readSealedPost(
  post: SealedPost,
  target: SealedTarget,
  verify: VerifySealed,
): Promise<Result<SealedRequest, SealedRefusal>> {
  const headers = splitSealedHeaders(post.headers);
  if (!headers.ok) return err({ code: headers.error.code, field: headers.error.header });
  const encoding = post.headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  if (!/^application\/json\s*(;|$)/i.test(headers.value.forwarded['content-type'])) {
    return err({ code: 'RELAY_CONTENT_TYPE', field: 'content-type', headers: headers.value });
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return err({ code: 'RELAY_CONTENT_TYPE', field: 'content-encoding', headers: headers.value });
  }

  const verdict = await verify(messageFor(post, headers.value, target), profiles[target.dialect]);
  const { steps, signer } = verdict;
  const seen = { headers: headers.value, verdict: { steps, ...(signer === undefined ? {} : { signer }) } };
  if (!verdict.ok) return err({ code: verdict.code, ...seen });
  const body = verdict.json?.value;
  const call = readSealedCall(target.protocol, body);
  if (!call.ok) return err({ code: call.error, ...seen });
  const secret = isJsonObject(body) ? scanSealed(body, call.value) : undefined;
  if (secret !== undefined) {
    return err({ code: 'CREDENTIAL_IN_ARGS', field: secret, task: call.value.spec.name, ...seen });
  }
  const asserted = selfAssertionIn(call.value.args);
  if (asserted !== undefined) {
    return err({ code: 'RELAY_SELF_ASSERTION', field: asserted, task: call.value.spec.name, ...seen });
  }
  return ok({ headers: headers.value, call: call.value, verdict });
}

/** What the seller will be sent, as its verifier will see it. */
function messageFor(post: SealedPost, { forwarded }: SealedHeaders, target: SealedTarget): ReceivedMessage {
  const present = Object.entries(forwarded).filter(([, value]) => value !== '');
  return {
    method: 'POST',
    url: target.url,
    headers: [['host', authorityOf(target.url)], ...present],
    body: post.body,
  };
}

/** The authority as it stands in the address, so that the verifier's own rules canonicalise both alike. */
function authorityOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
}

const profiles: Readonly<Record<Dialect, SigningProfile>> = {
  ads: profileOf('ads'),
  adcp: profileOf('adcp'),
};

function profileOf(dialect: Dialect): SigningProfile {
  const { requestTag, webhookTag, keyUseMember } = dialects[dialect];
  return requestProfile({ requestTag, webhookTag, useMember: keyUseMember }, 'required');
}
