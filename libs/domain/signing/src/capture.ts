import { Buffer } from 'node:buffer';
import {
  err,
  isJsonObject,
  ok,
  Secret,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { SigningProfile } from './profile.js';
import type { ReceivedMessage } from './verify/verdict.js';
import type { WebhookMode } from './webhook-mode.js';

/**
 * A recorded message with the state of its verifier: a conformance vector, or a message of an incident. The members are
 * those of the public vectors; members of our own are marked.
 */
export interface Capture {
  readonly message: ReceivedMessage;
  /** Seconds since the epoch: `reference_now`. Absent: now. */
  readonly at?: number;
  /** `signing_profile_version`. 3.2 requires standard base64 in requests, and always the digest. */
  readonly version: '3.1' | '3.2';
  readonly capability: {
    readonly supported: boolean;
    readonly contentDigest: SigningProfile['contentDigest'];
    readonly requiredFor: readonly string[];
    readonly protocolMethodsRequiredFor: readonly string[];
  };
  /** `jwks_ref`: only these key ids of the key set are used. */
  readonly keyids?: readonly string[];
  /** `jwks_override`: keys in the capture, as a key set or by key id. */
  readonly keys?: readonly JsonObject[];
  /** `test_harness_state`: earlier nonces, counts and revocations. */
  readonly state: JsonObject;
  /** Ours: `registration`, with `mode`, and with `secret` and `is_mutating` for an older mode. */
  readonly registration: {
    readonly mode: WebhookMode;
    readonly secret: Secret;
    readonly isMutating: boolean;
  };
}

/** Reads a captured message. Fails with a sentence that names the invalid member. */
export function readCapture(value: JsonValue): Result<Capture, string> {
  if (!isJsonObject(value)) return err('A captured message is a JSON object.');
  const message = readMessage(value['request']);
  if (!message.ok) return message;
  const at = value['reference_now'];
  if (at !== undefined && !Number.isSafeInteger(at)) return err('reference_now is whole seconds.');
  const keys = readKeys(value['jwks_override']);
  if (!keys.ok) return keys;
  const registration = readRegistration(value['registration']);
  if (!registration.ok) return registration;
  const capability = readCapability(value['verifier_capability']);
  if (!capability.ok) return capability;
  const ref = value['jwks_ref'];
  const state = value['test_harness_state'];
  return ok({
    message: message.value,
    ...(typeof at === 'number' ? { at } : {}),
    version: value['signing_profile_version'] === '3.2' ? '3.2' : '3.1',
    capability: capability.value,
    ...(ref === undefined ? {} : { keyids: strings(ref) }),
    ...(keys.value === undefined ? {} : { keys: keys.value }),
    state: isJsonObject(state) ? state : {},
    registration: registration.value,
  });
}

function readMessage(request: JsonValue | undefined): Result<ReceivedMessage, string> {
  if (!isJsonObject(request)) return err('request is an object with method, url, headers and body.');
  const { method, url, headers, body = '', body_base64: encoded } = request;
  if (typeof method !== 'string' || typeof url !== 'string')
    return err('request.method and request.url are text.');
  if (!isJsonObject(headers)) return err('request.headers is an object.');
  const lines: [string, string][] = [];
  for (const [name, given] of Object.entries(headers)) {
    // A list holds several lines of the same header.
    for (const line of Array.isArray(given) ? given : [given]) {
      if (typeof line !== 'string') return err(`request.headers: ${name} is text, or a list of texts.`);
      lines.push([name, line]);
    }
  }
  if (typeof encoded === 'string')
    return ok({ method, url, headers: lines, body: Buffer.from(encoded, 'base64') });
  if (typeof body !== 'string') return err('request.body is text: the very bytes, not what they mean.');
  return ok({ method, url, headers: lines, body: Buffer.from(body) });
}

function readKeys(override: JsonValue | undefined): Result<readonly JsonObject[] | undefined, string> {
  if (override === undefined) return ok(undefined);
  if (!isJsonObject(override)) return err('jwks_override is a key set, or keys by key id.');
  const list = override['keys'];
  const keys = Array.isArray(list) ? list : Object.values(override);
  return keys.every(isJsonObject) ? ok(keys) : err('jwks_override holds something that is no key.');
}

const modes: readonly string[] = ['signed', 'hmac-sha256', 'bearer'] satisfies readonly WebhookMode[];

function readRegistration(value: JsonValue | undefined): Result<Capture['registration'], string> {
  const given = isJsonObject(value) ? value : {};
  const { mode = 'signed', secret = '' } = given;
  if (typeof mode !== 'string' || !modes.includes(mode))
    return err(`registration.mode is one of ${modes.join(', ')}.`);
  if (typeof secret !== 'string') return err('registration.secret is text.');
  return ok({
    mode: mode as WebhookMode,
    secret: new Secret(Buffer.from(secret)),
    isMutating: given['is_mutating'] === true,
  });
}

const digestPolicies: readonly string[] = ['required', 'either', 'forbidden'];

function readCapability(value: JsonValue | undefined): Result<Capture['capability'], string> {
  const given = isJsonObject(value) ? value : {};
  const policy = given['covers_content_digest'] ?? 'required';
  if (typeof policy !== 'string' || !digestPolicies.includes(policy)) {
    return err(`verifier_capability.covers_content_digest is one of ${digestPolicies.join(', ')}.`);
  }
  return ok({
    supported: given['supported'] !== false,
    contentDigest: policy as SigningProfile['contentDigest'],
    requiredFor: strings(given['required_for']),
    protocolMethodsRequiredFor: strings(given['protocol_methods_required_for']),
  });
}

/** Returns the strings of a list; for any other value, an empty list. */
export function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
