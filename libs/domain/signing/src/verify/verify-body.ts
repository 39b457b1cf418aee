import { parseStrictJson, peerJsonLimits } from '@switchyard/values';
import { digestMatches } from '../content-digest.js';
import { fault, replayKey, type Notes, type Step, type StepFault } from './verify-step.js';

/** Steps 11 to 14: the body matches the signed digest, the nonce is new, and the JSON is unambiguous. */
export const bodySteps: readonly Step[] = [
  { number: '11', name: 'content digest', check: checkDigest },
  { number: '12-13', name: 'nonce is new', check: claimNonce },
  { number: '14', name: 'body is strict JSON', check: parseBody },
];

function checkDigest(notes: Notes): string | StepFault {
  if (notes.digest === undefined) return 'not covered';
  return digestMatches(notes.digest, notes.message.body)
    ? `${notes.message.body.length} bytes`
    : fault('digest_mismatch', `not the digest of these ${notes.message.body.length} bytes`);
}

/** Checks and inserts in one atomic step: two steps would allow a replay in between. */
async function claimNonce(notes: Notes): Promise<string | StepFault> {
  const expiresAt = (notes.expires + notes.profile.skew) * 1000;
  const claimed = await notes.ports.replays.claim(replayKey(notes), notes.nonce, expiresAt);
  if (claimed === 'replayed') return fault('replayed', 'seen before');
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
