import type { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { Instant, JsonObject, StrictJson } from '@switchyard/values';
import type { SignatureAlgorithm } from '../algorithm.js';
import type { KeySource, ReplayStore, ResolvedKey, RevocationSource } from '../ports.js';
import type { SigningProfile } from '../profile.js';
import type { ReceivedMessage, SignatureFault } from './verdict.js';

/** The ports of a verifier. */
export interface VerifierPorts {
  readonly keys: KeySource;
  readonly replays: ReplayStore;
  readonly revocations: RevocationSource;
}

export interface StepFault {
  readonly fault: SignatureFault;
  readonly seen: string;
  readonly details?: JsonObject;
}

export function fault(found: SignatureFault, seen: string, details?: JsonObject): StepFault {
  return { fault: found, seen, ...(details === undefined ? {} : { details }) };
}

/** One numbered check. Returns the value that it found, as text for the checklist, or the fault. */
export interface Step {
  readonly number: string;
  readonly name: string;
  readonly check: (notes: Notes) => string | StepFault | Promise<string | StepFault>;
}

/** Values that earlier steps found, for later steps. Members are set in the order of the steps. */
export interface Notes {
  readonly message: ReceivedMessage;
  readonly profile: SigningProfile;
  readonly ports: VerifierPorts;
  readonly at: Instant;
  components: readonly string[];
  fields: ReadonlyMap<string, string>;
  paramsText: string;
  params: ReadonlyMap<string, { readonly value: unknown }>;
  signature: Buffer | undefined;
  digest: Buffer | undefined;
  created: number;
  expires: number;
  nonce: string;
  keyid: string;
  alg: SignatureAlgorithm;
  algName: string;
  tag: string;
  key: ResolvedKey | undefined;
  publicKey: KeyObject | undefined;
  isAuthentic: boolean;
  base: string;
  json: StrictJson | undefined;
}

export function emptyNotes(
  message: ReceivedMessage,
  profile: SigningProfile,
  ports: VerifierPorts,
  at: Instant,
): Notes {
  return {
    message,
    profile,
    ports,
    at,
    components: [],
    fields: new Map(),
    paramsText: '',
    params: new Map(),
    signature: undefined,
    digest: undefined,
    created: 0,
    expires: 0,
    nonce: '',
    keyid: '',
    alg: 'ed25519',
    algName: '',
    tag: '',
    key: undefined,
    publicKey: undefined,
    isAuthentic: false,
    base: '',
    json: undefined,
  };
}

/** A counterparty's text for a log: printable ASCII, at most 80 characters. */
export function shown(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > 80 ? `${printable.slice(0, 80)}...` : printable;
}

/** The same for an explanation of ours that may contain a counterparty's URL: at most 400 characters. */
export function explained(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 400);
}

/**
 * Returns the key under which nonces are counted. A kid is unique only in its own key set: two signers with the same
 * kid must not use up each other's cap.
 */
export function replayKey(notes: Notes): string {
  return `${notes.keyid} ${notes.key?.keyspace ?? notes.key?.agentUrl ?? ''}`;
}
