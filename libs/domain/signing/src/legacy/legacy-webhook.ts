import { Buffer } from 'node:buffer';
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import {
  parseStrictJson,
  peerJsonLimits,
  type Instant,
  type Secret,
  type StrictJson,
} from '@switchyard/values';
import { legacySecretLength } from './legacy-secret.js';
import type { ReceivedMessage, VerificationStep } from '../verify/verdict.js';
import { isModeMismatch, webhookModeMismatch, type LegacyHeaderNames } from '../webhook-mode.js';

/** The mode and secret that are registered for one address. */
export type LegacyAgreement =
  | { readonly mode: 'hmac-sha256'; readonly secret: Secret }
  /** A Bearer credential does not protect the body, so it is never enough for a callback that changes data. */
  | { readonly mode: 'bearer'; readonly secret: Secret; readonly isMutating: boolean };

type LegacyFault =
  | 'mode_mismatch'
  | 'bearer_refused'
  | 'secret_unusable'
  | 'header_malformed'
  | 'timestamp_malformed'
  | 'timestamp_out_of_window'
  | 'proof_invalid'
  | 'body_malformed';

export type LegacyVerdict =
  | { readonly ok: true; readonly steps: readonly VerificationStep[]; readonly json?: StrictJson }
  | {
      readonly ok: false;
      readonly fault: LegacyFault;
      /** For `WWW-Authenticate: Signature error="..."`. Absent if the protocol has no code: answer a plain 401. */
      readonly code?: 'webhook_mode_mismatch' | 'webhook_body_malformed';
      /** True if the sender was authenticated before another check failed. */
      readonly isAuthentic: boolean;
      readonly steps: readonly VerificationStep[];
    };

/** Allowed difference of the sender's clock in seconds, in both directions. */
const window = 300;

/**
 * Verifies a webhook of an older mode, which the registration must request: HMAC-SHA256 over timestamp and body, or a
 * Bearer credential.
 * The order is part of the contract: mode, headers, timestamp, window, proof, and then the body, so that an ambiguous
 * authentic body is distinguished from a wrong proof. `names` are the headers of the registration's dialect; `others`
 * those of the other dialects. Never throws; no text contains a secret.
 */
export function verifyLegacyWebhook(
  message: ReceivedMessage,
  agreement: LegacyAgreement,
  {
    names,
    at,
    others = [],
  }: {
    readonly names: LegacyHeaderNames;
    readonly at: Instant;
    readonly others?: readonly LegacyHeaderNames[] | undefined;
  },
): LegacyVerdict {
  const steps: VerificationStep[] = [];
  const checks: readonly Check[] = [
    ['1', 'mode of the address', () => checkMode(message, agreement, [names, ...others])],
    ...(agreement.mode === 'bearer'
      ? bearerChecks(message, agreement.secret)
      : hmacChecks(message, agreement.secret, names, at)),
  ];
  for (const [step, name, check] of checks) {
    const found = check();
    steps.push({ step, name, ok: found.fault === undefined, seen: found.seen });
    if (found.fault !== undefined) return refused(found.fault, steps);
  }
  if (message.body.length === 0) return { ok: true, steps };
  const parsed = parseStrictJson(message.body, peerJsonLimits);
  const seen = parsed.ok ? 'one meaning' : parsed.error.code;
  steps.push({ step: '6', name: 'body is strict JSON', ok: parsed.ok, seen });
  return parsed.ok ? { ok: true, steps, json: parsed.value } : refused('body_malformed', steps);
}

interface Finding {
  readonly seen: string;
  readonly fault?: LegacyFault;
}
type Check = readonly [step: string, name: string, check: () => Finding];

function refused(fault: LegacyFault, steps: readonly VerificationStep[]): LegacyVerdict {
  const isAuthentic = fault === 'body_malformed';
  if (fault === 'mode_mismatch') return { ok: false, fault, code: webhookModeMismatch, isAuthentic, steps };
  if (isAuthentic) return { ok: false, fault, code: 'webhook_body_malformed', isAuthentic, steps };
  return { ok: false, fault, isAuthentic, steps };
}

function checkMode(
  message: ReceivedMessage,
  agreement: LegacyAgreement,
  names: readonly LegacyHeaderNames[],
): Finding {
  if (agreement.mode === 'bearer' && agreement.isMutating) {
    return { seen: 'Bearer on a callback that changes something', fault: 'bearer_refused' };
  }
  if (isModeMismatch(message.headers, agreement.mode, names)) {
    return { seen: `not ${agreement.mode}`, fault: 'mode_mismatch' };
  }
  // With an empty secret, the receiver would accept a message from anybody.
  const isShort = agreement.secret.use((secret) => secret.length < legacySecretLength);
  return isShort
    ? { seen: 'our own secret is too short', fault: 'secret_unusable' }
    : { seen: agreement.mode };
}

function hmacChecks(
  message: ReceivedMessage,
  secret: Secret,
  names: LegacyHeaderNames,
  at: Instant,
): readonly Check[] {
  const signature = only(message, names.signature);
  const timestamp = only(message, names.timestamp);
  return [
    ['2', 'both headers once', () => once([signature, timestamp])],
    ['3', 'timestamp is digits alone', () => digits(timestamp ?? '')],
    ['4', 'time window', () => withinWindow(Number(timestamp), at)],
    ['5', 'HMAC-SHA256', () => proof(isHmac(signature ?? '', timestamp ?? '', message.body, secret))],
  ];
}

function bearerChecks(message: ReceivedMessage, secret: Secret): readonly Check[] {
  const authorization = only(message, 'authorization');
  return [
    ['2', 'header once', () => once([authorization])],
    ['5', 'Bearer credential', () => proof(isBearer(authorization ?? '', secret))],
  ];
}

/** Returns the value of a header that occurs exactly once. */
function only(message: ReceivedMessage, name: string): string | undefined {
  const lines = message.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
  return lines.length === 1 ? lines[0]?.[1].replace(/^[ \t]+|[ \t]+$/g, '') : undefined;
}

function once(values: readonly (string | undefined)[]): Finding {
  return values.includes(undefined)
    ? { seen: 'missing or repeated', fault: 'header_malformed' }
    : { seen: 'there' };
}

/** Only digits are accepted: a number parser might read a text such as `1800000000abc`, which was not signed. */
function digits(timestamp: string): Finding {
  return /^[0-9]{1,15}$/.test(timestamp)
    ? { seen: timestamp }
    : { seen: 'something else', fault: 'timestamp_malformed' };
}

function withinWindow(timestamp: number, at: Instant): Finding {
  const seen = `${timestamp - Math.floor(at / 1000)} s from now`;
  return Math.abs(timestamp - Math.floor(at / 1000)) > window
    ? { seen, fault: 'timestamp_out_of_window' }
    : { seen };
}

function proof(isRight: boolean): Finding {
  return isRight ? { seen: 'verified' } : { seen: 'not with this secret', fault: 'proof_invalid' };
}

function isHmac(given: string, timestamp: string, body: Buffer, secret: Secret): boolean {
  const expected = Buffer.from(legacyHmac(timestamp, body, secret), 'latin1');
  const bytes = Buffer.from(given, 'latin1');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/** Compares digests, so that the time taken does not reveal the length of the credential. */
function isBearer(authorization: string, secret: Secret): boolean {
  const given = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
  if (given === undefined) return false;
  const digest = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer');
  return secret.use((bytes) => timingSafeEqual(digest(Buffer.from(given, 'latin1')), digest(bytes)));
}

/** Returns `sha256=` and 64 lower-case hexadecimal digits: the HMAC of the timestamp's text, a dot and the body's bytes. */
export function legacyHmac(timestamp: string, body: Buffer, secret: Secret): string {
  return secret.use((bytes) => {
    const hmac = createHmac('sha256', bytes).update(`${timestamp}.`, 'latin1').update(body);
    return `sha256=${hmac.digest('hex')}`;
  });
}
