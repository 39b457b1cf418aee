import { type Instant, parseStrictJson, peerJsonLimits } from '@switchyard/values';
import { keySteps } from './key-steps.js';
import { headerSteps } from './verify-headers.js';
import { keyFailures } from '../ports.js';
import type { SigningProfile } from '../profile.js';
import type {
  ReceivedMessage,
  SignatureFault,
  VerificationStep,
  Verdict,
  VerifiedSigner,
} from './verdict.js';
import {
  emptyNotes,
  type Notes,
  type Step,
  type VerifierPorts,
  fault,
  replayKey,
  type StepFault,
} from './verify-step.js';
import { digestMatches } from '../content-digest.js';

/**
 * Verifies one signed request or webhook in a fixed order of steps. The first failing step determines the code.
 *
 * The order is part of the contract. Key, revocation and cap are checked before any cryptography, so that a bad signer
 * costs little. The digest is checked after the signature, so that a changed body with a changed digest is an invalid
 * signature. The nonce is claimed before the body is parsed, so that no message is parsed twice; a port may leave the claim
 * to the statement that stores the message (`SharedReplayStore`), whose refusal is then that of this step. A message without
 * signature headers fails with `required`.
 */
export async function verifySignature(
  message: ReceivedMessage,
  profile: SigningProfile,
  ports: VerifierPorts,
  at: Instant,
): Promise<Verdict> {
  const notes = emptyNotes(message, profile, ports, at);
  const done: VerificationStep[] = [];
  for (const step of steps) {
    const checked = step.check(notes);
    // Most steps are synchronous, and each `await` would delay the verification by a microtask.
    const seen = checked instanceof Promise ? await checked : checked;
    if (typeof seen === 'string') {
      done.push({ step: step.number, name: step.name, ok: true, seen });
      continue;
    }
    const { fault: found, ...rest } = seen;
    done.push({ step: step.number, name: step.name, ok: false, ...rest });
    return refusal(found, profile, done, signerOf(notes));
  }
  return {
    ok: true,
    signer: signerOf(notes) ?? never(),
    alg: notes.alg,
    jwk: notes.key?.jwk ?? never(),
    base: notes.base,
    nonce: notes.nonce,
    created: notes.created,
    expires: notes.expires,
    steps: done,
    ...(notes.json === undefined ? {} : { json: notes.json }),
  };
}

const nonceStep = '12-13';

/** Steps 11 to 14: the body matches the signed digest, the nonce is new, and the JSON is unambiguous. */
const bodySteps: readonly Step[] = [
  { number: '11', name: 'content digest', check: checkDigest },
  { number: nonceStep, name: 'nonce is new', check: claimNonce },
  { number: '14', name: 'body is strict JSON', check: parseBody },
];

const steps: readonly Step[] = [...headerSteps, ...keySteps, ...bodySteps];

/** Returns the signer, or `undefined` until the signature has been verified. */
function signerOf(notes: Notes): VerifiedSigner | undefined {
  if (!notes.isAuthentic || notes.key === undefined) return undefined;
  const { agentUrl, keyspace } = notes.key;
  return {
    keyid: notes.keyid,
    agentUrl,
    verifiedAt: notes.at,
    ...(keyspace === undefined ? {} : { keyspace }),
  };
}

function refusal(
  found: SignatureFault,
  profile: SigningProfile,
  done: readonly VerificationStep[],
  signer: VerifiedSigner | undefined,
): Verdict {
  const named = profile.kind === 'webhook' ? webhookFault(found) : found;
  return {
    ok: false,
    fault: found,
    code: named === 'unavailable' ? 'keys_unavailable' : signatureCode(profile.kind, named),
    unavailable: named === 'unavailable',
    steps: done,
    ...(signer === undefined ? {} : { signer }),
  };
}

/** Returns the full code. Two faults concern the message and not its signature; their codes omit `signature_`. */
export function signatureCode(kind: SigningProfile['kind'], found: SignatureFault): string {
  const infix = found === 'target_uri_malformed' || found === 'body_malformed' ? '' : 'signature_';
  return `${kind}_${infix}${found}`;
}

const outages: ReadonlySet<SignatureFault> = new Set<SignatureFault>([
  'jwks_unavailable',
  'brand_json_unreachable',
  'capabilities_unreachable',
]);
const notFound: ReadonlySet<SignatureFault> = new Set<SignatureFault>(keyFailures);

/** Webhooks have no codes for key discovery: an outage is `unavailable`, any other failure an unknown key. */
function webhookFault(found: SignatureFault): SignatureFault | 'unavailable' {
  if (outages.has(found)) return 'unavailable';
  if (notFound.has(found)) return 'key_unknown';
  return found === 'required' ? 'header_malformed' : found;
}

function never(): never {
  throw new Error('a signature verified without a key');
}

function checkDigest(notes: Notes): string | StepFault {
  if (notes.digest === undefined) return 'not covered';
  return digestMatches(notes.digest, notes.message.body)
    ? `${notes.message.body.length} bytes`
    : fault('digest_mismatch', `not the digest of these ${notes.message.body.length} bytes`);
}

const seenBefore = 'seen before';

/** The steps of a message that verified, after its nonce was claimed too late: it had been used. */
export function usedNonceSteps(steps: readonly VerificationStep[]): readonly VerificationStep[] {
  const at = steps.findIndex(({ step }) => step === nonceStep);
  return steps
    .slice(0, at + 1)
    .map((one, place) => (place === at ? { ...one, ok: false, seen: seenBefore } : one));
}

/** Checks and inserts in one atomic step: two steps would allow a replay in between. */
async function claimNonce(notes: Notes): Promise<string | StepFault> {
  const expiresAt = (notes.expires + notes.profile.skew) * 1000;
  const claimed = await notes.ports.replays.claim(replayKey(notes), notes.nonce, expiresAt);
  if (claimed === 'replayed') return fault('replayed', seenBefore);
  if (claimed === 'full') return fault('rate_abuse', 'at the cap');
  return 'claimed';
}

function parseBody(notes: Notes): string | StepFault {
  if (notes.message.body.length === 0) return 'no body';
  const parsed = parseStrictJson(notes.message.body, peerJsonLimits);
  if (!parsed.ok) return fault('body_malformed', parsed.error.code);
  notes.json = parsed.value;
  return 'one meaning';
}
