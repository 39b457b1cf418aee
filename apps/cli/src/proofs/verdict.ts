import { ok, type JsonObject } from '@switchyard/values';
import type { Outcome } from '../outcome.js';
import { cell } from '../plain.js';

/**
 * What a check proves. `valid`: whole, and signed by the one it names. `consistent`: whole, and anybody may have made it.
 * `invalid`: changed or broken (docs/ledger.md#who-signed).
 */
export type Verdict = 'valid' | 'consistent' | 'invalid';

/** How the owner of a key was found out. */
export type KeySourceName = 'published' | 'key set' | 'fingerprint' | 'stored';

/** Whose a signature is. */
export interface Signer {
  /** Domain that the signed document names; absent where it names none. */
  readonly organization?: string;
  readonly kid: string;
  /** RFC 7638 thumbprint of the public key. */
  readonly fingerprint: string;
  /** Absent while the signer is unknown. */
  readonly found?: KeySourceName;
  /** Why the signer is unknown, or what a person should know of the key. */
  readonly says?: string;
}

/** The result of checking one file. */
export interface Proof {
  readonly kind: 'statement' | 'ledger' | 'custody' | 'messages' | 'anchors';
  readonly file: string;
  /** What is broken, as sentences; with any the file is invalid. */
  readonly faults: readonly string[];
  /** What holds, as sentences. */
  readonly holds: readonly string[];
  /** Absent if nothing in the file is signed by its organization. */
  readonly signer?: Signer;
  /** Of messages: the ledger that they were held against is valid, and says which were received and with which keys. */
  readonly isVouchedFor?: true;
  /** More members of the JSON answer. */
  readonly json?: JsonObject;
}

export function verdictOf({ faults, signer, isVouchedFor }: Proof): Verdict {
  if (faults.length > 0) return 'invalid';
  return signer?.found !== undefined || isVouchedFor === true ? 'valid' : 'consistent';
}

const names: Readonly<Record<Proof['kind'], string>> = {
  statement: 'The statement',
  ledger: 'The ledger',
  custody: 'The chain of custody',
  messages: 'The messages',
  anchors: 'The signed heads',
};

/** What a person reads about one file. */
export function proofText(proof: Proof): string {
  const { kind, file, faults, holds, signer } = proof;
  const verdict = verdictOf(proof);
  const name = `${names[kind]} in ${cell(file)}`;
  const are = kind === 'messages' || kind === 'anchors' ? 'are' : 'is';
  if (verdict === 'invalid') return `${name} ${are} invalid: ${faults.slice(0, 20).map(cell).join(' ')}`;
  const parts = holds.map(cell);
  if (verdict === 'valid') {
    if (signer !== undefined) parts.push(signedBy(signer));
    return `${name} ${are} valid. ${parts.join(' ')}`;
  }
  const says = signer?.says ?? unsigned[kind];
  return `${name} ${are} consistent, signer unknown. ${[...parts, cell(says)].join(' ')}`;
}

const noSignature = 'It has no signature of the organization that it is of.';
const unsigned: Readonly<Record<Proof['kind'], string>> = {
  statement: noSignature,
  ledger: noSignature,
  custody: noSignature,
  anchors: noSignature,
  messages: 'Only a valid export of the ledger says which messages were received, and with which keys.',
};

const ways: Readonly<Record<KeySourceName, string>> = {
  published: 'which its domain publishes',
  'key set': 'which is in the key set',
  fingerprint: 'which has the fingerprint that was given',
  stored: 'whose fingerprint is stored on this computer',
};

function signedBy({ organization, kid, found, says }: Signer): string {
  const way = found === undefined ? '' : `, ${ways[found]}`;
  return `Signed by ${cell(organization ?? 'the owner of the key')} with the key ${cell(kid)}${way}.${says === undefined ? '' : ` ${cell(says)}`}`;
}

/** The members of a proof for programs. */
export function proofJson(proof: Proof): JsonObject {
  const { kind, file, faults, signer, json = {} } = proof;
  const verdict = verdictOf(proof);
  return {
    verdict,
    ok: verdict === 'valid',
    kind,
    file,
    problems: [...faults],
    signer:
      signer === undefined
        ? null
        : {
            organization: signer.organization ?? null,
            kid: signer.kid,
            fingerprint: signer.fingerprint,
            found: signer.found ?? null,
            ...(signer.says !== undefined && { says: signer.says }),
          },
    ...json,
  };
}

/** What a command prints about files: exit code 0 if all are valid, 1 if one is invalid, else 3. */
export function outcomeOf(proofs: readonly Proof[], json: JsonObject): Outcome {
  const verdict = worstOf(proofs);
  const text = proofs.map(proofText).join('\n');
  if (verdict === 'invalid') return ok({ json, text: '', failed: text });
  return ok({ json, text, ...(verdict === 'consistent' && { exit: 3 as const }) });
}

export function worstOf(proofs: readonly Proof[]): Verdict {
  const verdicts = proofs.map(verdictOf);
  if (verdicts.includes('invalid')) return 'invalid';
  return verdicts.includes('consistent') ? 'consistent' : 'valid';
}
