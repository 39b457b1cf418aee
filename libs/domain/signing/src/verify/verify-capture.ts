import {
  isJsonObject,
  parseStrictJson,
  type Instant,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';
import type { Capture } from '../capture.js';
import { portsOf } from '../capture-ports.js';
import { verifyLegacyWebhook } from '../legacy/legacy-webhook.js';
import { requestProfile, webhookProfile, type SigningNames, type SigningProfile } from '../profile.js';
import { readSignature, signaturePresence } from './read-signature.js';
import { signatureDemand } from './request-policy.js';
import type { VerificationStep } from './verdict.js';
import { signatureCode, verifySignature } from './verify.js';
import { isModeMismatch, webhookModeMismatch, type LegacyHeaderNames } from '../webhook-mode.js';

export interface CaptureSetting {
  readonly kind: SigningProfile['kind'];
  /** The dialect of the verifier. */
  readonly names: SigningNames;
  /** Headers of the older webhook mode: those of the dialect, and those of all others. */
  readonly legacyHeaders: LegacyHeaderNames;
  readonly otherLegacyHeaders: readonly LegacyHeaderNames[];
  /** Published keys, for captures without keys. */
  readonly jwks: readonly JsonObject[];
  /** For captures without `reference_now`. */
  readonly now: Instant;
}

/** The result of verifying a captured message, with its steps. */
export interface CaptureVerdict {
  readonly ok: boolean;
  /** Null if it verified. A code of the protocol, or our own if there is none (`unsigned`, older modes). */
  readonly code: string | null;
  /** The step that failed; null if it verified. */
  readonly step: string | null;
  /** The key id in the message; null if it has none. */
  readonly keyid: string | null;
  readonly steps: readonly VerificationStep[];
}

/**
 * Verifies a captured message with the verifier that it describes, in the same steps as a live message: first the
 * pre-checks and the registration mode as step 0, then the checklist.
 */
export async function verifyCapture(capture: Capture, setting: CaptureSetting): Promise<CaptureVerdict> {
  const at = capture.at === undefined ? setting.now : capture.at * 1000;
  const first = setting.kind === 'request' ? checkDemand(capture) : checkMode(capture, setting);
  const keyid = keyidOf(capture, setting);
  if (!first.step.ok) {
    return { ok: false, code: first.code, step: first.step.step, keyid, steps: [first.step] };
  }
  if (setting.kind === 'webhook' && capture.registration.mode !== 'signed') {
    return legacyVerdict(capture, setting, at);
  }
  const ports = portsOf(capture, setting.jwks, at);
  const verdict = await verifySignature(capture.message, profileOf(capture, setting), ports, at);
  const steps = [first.step, ...verdict.steps];
  if (verdict.ok) return { ok: true, code: null, step: null, keyid: verdict.signer.keyid, steps };
  return { ok: false, code: verdict.code, step: steps.at(-1)?.step ?? null, keyid, steps };
}

function profileOf(capture: Capture, { kind, names }: CaptureSetting): SigningProfile {
  if (kind === 'webhook') return webhookProfile(names);
  return capture.version === '3.2'
    ? requestProfile(names, 'required', 'standard')
    : requestProfile(names, capture.capability.contentDigest);
}

interface First {
  readonly step: VerificationStep;
  readonly code: string;
}

/** Decides whether this request must be signed. Without `signature` headers there is nothing else to verify. */
function checkDemand({ message, capability }: Capture): First {
  const step = { step: '0', name: 'is to be signed' };
  if (!capability.supported) {
    return { step: { ...step, ok: false, seen: 'this verifier takes no signatures' }, code: 'unsigned' };
  }
  if (signaturePresence(message.headers) !== 'none') {
    return { step: { ...step, ok: true, seen: 'signature headers' }, code: '' };
  }
  const demand = signatureDemand(requestOf(message.url, bodyOf(message.body)), capability);
  const why = {
    payload: 'the payload wants one',
    operation: 'the operation wants one',
    no: 'none is wanted',
  };
  return {
    step: { ...step, ok: false, seen: `no signature; ${why[demand]}` },
    code: demand === 'no' ? 'unsigned' : signatureCode('request', 'required'),
  };
}

function bodyOf(bytes: Capture['message']['body']): JsonValue {
  const parsed = parseStrictJson(bytes);
  return parsed.ok ? parsed.value.value : null;
}

/** The task is the called tool, otherwise the last segment of the path. */
function requestOf(url: string, body: JsonValue): Parameters<typeof signatureDemand>[0] {
  const method = isJsonObject(body) ? body['method'] : undefined;
  const params = isJsonObject(body) && isJsonObject(body['params']) ? body['params'] : {};
  if (method === 'tools/call' && typeof params['name'] === 'string') {
    return { task: params['name'], protocolMethod: method, args: params['arguments'] ?? {} };
  }
  const task =
    url
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  return { task, args: body, ...(typeof method === 'string' ? { protocolMethod: method } : {}) };
}

function checkMode({ message, registration }: Capture, setting: CaptureSetting): First {
  const headers = [setting.legacyHeaders, ...setting.otherLegacyHeaders];
  const isWrong = isModeMismatch(message.headers, registration.mode, headers);
  const seen = isWrong ? `another proof than ${registration.mode}` : registration.mode;
  return { step: { step: '0', name: 'mode of the address', ok: !isWrong, seen }, code: webhookModeMismatch };
}

function legacyVerdict(capture: Capture, setting: CaptureSetting, at: Instant): CaptureVerdict {
  const { mode, secret, isMutating } = capture.registration;
  const verdict = verifyLegacyWebhook(
    capture.message,
    mode === 'bearer' ? { mode, secret, isMutating } : { mode: 'hmac-sha256', secret },
    { names: setting.legacyHeaders, at, others: setting.otherLegacyHeaders },
  );
  if (verdict.ok) return { ok: true, code: null, step: null, keyid: null, steps: verdict.steps };
  const step = verdict.steps.at(-1)?.step ?? null;
  return { ok: false, code: verdict.code ?? verdict.fault, step, keyid: null, steps: verdict.steps };
}

/** Returns the key id in the message, unverified, only for display in a verdict. */
function keyidOf(capture: Capture, setting: CaptureSetting): string | null {
  const read = readSignature(capture.message, profileOf(capture, setting).binary);
  const keyid = read.ok ? read.value.list.params.get('keyid')?.value : undefined;
  return typeof keyid === 'string' ? keyid : null;
}
