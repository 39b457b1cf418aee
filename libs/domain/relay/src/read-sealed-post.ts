import type { Buffer } from 'node:buffer';
import { dialects, selfAssertionIn, type Dialect } from '@switchyard/protocol';
import { requestProfile, type ReceivedMessage, type SigningProfile, type Verdict } from '@switchyard/signing';
import { err, isJsonObject, ok, type Result } from '@switchyard/values';
import { readSealedCall, type SealedCall } from './read-sealed-call.js';
import type { RelayFaultCode } from './relay-fault.js';
import { scanSealed } from './scan-sealed.js';
import { splitSealedHeaders, type SealedHeaders } from './sealed-headers.js';

/** A sealed request as received. */
export interface SealedPost {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The seller that the request was signed for. */
export interface SealedTarget {
  /** The seller's own URL, which the signature covers; never ours. */
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

/** What is recorded about a refused request. It never includes the body, which may hold a secret. */
export interface SealedRefusal {
  /** A code of the relay or of the verifier. */
  readonly code: RelayFaultCode | (string & {});
  /** The header or member at fault, if there is one; never a value. */
  readonly field?: string;
  readonly headers?: SealedHeaders;
  readonly task?: string;
  /** Absent if the signature was not checked. */
  readonly verdict?: Pick<Verdict, 'steps' | 'signer'>;
}

/**
 * Reads one sealed request in a fixed order, which is part of the contract: the header lines, the signature exactly as
 * the seller will verify it, the task, and whether the body holds a secret. The body is not trusted before its
 * signature is verified.
 * The signature must cover the digest. Without that, an intermediary could replace the body
 * (docs/protocol/relay.md#admission). The verifier gets the seller's host, because that host was signed.
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

/** Returns the request in the form in which the seller's verifier will see it. */
function messageFor(post: SealedPost, { forwarded }: SealedHeaders, target: SealedTarget): ReceivedMessage {
  const present = Object.entries(forwarded).filter(([, value]) => value !== '');
  return {
    method: 'POST',
    url: target.url,
    headers: [['host', authorityOf(target.url)], ...present],
    body: post.body,
  };
}

/** Returns the authority exactly as written in the URL, so that the verifier canonicalizes both in the same way. */
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
