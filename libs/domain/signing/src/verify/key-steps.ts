import { Buffer } from 'node:buffer';
import { verifyBytes } from '../algorithm.js';
import { checkJwk } from '../check-jwk.js';
import { coveredValues, signatureBase } from '../covered-values.js';
import { explained, fault, replayKey, shown, type Notes, type Step, type StepFault } from './verify-step.js';

/** Steps 7 to 10: find the key, check that it may be used, and verify the signature. */
export const keySteps: readonly Step[] = [
  { number: '7', name: 'key is found', check: findKey },
  { number: '8', name: 'key is for this', check: checkPurpose },
  { number: '9', name: 'key is not revoked', check: checkRevocation },
  { number: '9a', name: 'signer is within its cap', check: checkCap },
  { number: '10', name: 'signature', check: checkSignature },
];

async function findKey(notes: Notes): Promise<string | StepFault> {
  const found = await notes.ports.keys.resolve(notes.keyid);
  if (!found.ok) {
    const why = await notes.ports.keys.explain?.(notes.keyid, found.error);
    if (why === undefined) return fault(found.error, shown(notes.keyid));
    return fault(found.error, `${shown(notes.keyid)}: ${explained(why.seen)}`, why.details);
  }
  notes.key = found.value;
  return `of ${shown(found.value.agentUrl)}`;
}

function checkPurpose(notes: Notes): string | StepFault {
  if (notes.key === undefined) throw new Error('the key comes first');
  if (notes.key.jwk['kid'] !== notes.keyid) return fault('key_unknown', 'the key has another kid');
  const key = checkJwk(notes.key.jwk, notes.alg, notes.profile);
  if (!key.ok) return fault('key_purpose_invalid', key.error);
  notes.publicKey = key.value;
  return `${notes.alg} ${notes.profile.useMember}`;
}

async function checkRevocation(notes: Notes): Promise<string | StepFault> {
  const status = await notes.ports.revocations.status(notes.keyid, notes.key?.agentUrl ?? '');
  if (status === 'revoked') return fault('key_revoked', 'listed');
  if (status === 'stale') return fault('revocation_stale', 'the list is out of date');
  return 'not listed';
}

async function checkCap(notes: Notes): Promise<string | StepFault> {
  return (await notes.ports.replays.isFull(replayKey(notes)))
    ? fault('rate_abuse', 'at the cap')
    : 'below the cap';
}

function checkSignature(notes: Notes): string | StepFault {
  if (notes.publicKey === undefined || notes.signature === undefined) throw new Error('the key comes first');
  const values = coveredValues(notes.message, notes.components, notes.fields);
  if (!values.ok) return fault('target_uri_malformed', values.error);
  notes.base = signatureBase(values.value, notes.paramsText);
  const base = Buffer.from(notes.base, 'latin1');
  if (!verifyBytes(notes.alg, base, notes.signature, notes.publicKey)) {
    return fault('invalid', 'not by this key over this message');
  }
  notes.isAuthentic = true;
  return 'verified';
}
