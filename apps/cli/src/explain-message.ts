import { dialects, type Dialect } from '@switchyard/protocol';
import {
  isPublishedTestKey,
  readCapture,
  verifyCapture,
  type CaptureSetting,
  type CaptureVerdict,
  type LegacyHeaderNames,
} from '@switchyard/signing';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure, Outcome } from './outcome.js';
import { plain } from './plain.js';
import { readJsonFile } from './read-input.js';
import { table } from './table.js';
import type { SignerOptions } from './proofs/signer-options.js';

/** Verifies a captured message and describes each step. Needs no instance and makes no network call. */
export async function explainMessage(deps: CliDeps, file: string, options: VerifyOptions): Promise<Outcome> {
  const read = await readJsonFile(deps, file);
  if (!read.ok) return read;
  const capture = readCapture(asCapture(read.value.value));
  if (!capture.ok) return err({ message: `${file} is no captured message: ${capture.error}` });
  const jwks = await readKeySet(deps, options.jwks);
  if (!jwks.ok) return jwks;
  const verdict = await verifyCapture(capture.value, settingOf(options, jwks.value));
  const known = [...jwks.value, ...(capture.value.keys ?? [])].find((jwk) => jwk['kid'] === verdict.keyid);
  return ok({
    json: verdict,
    text: explanation(deps, verdict, known !== undefined && isPublishedTestKey(known)),
    ...(verdict.ok ? {} : { failed: `Not verified: ${verdict.code ?? ''} at step ${verdict.step ?? ''}.` }),
  });
}

/** What `events show --raw --json` prints is verified as it was received, at that time. */
function asCapture(value: JsonValue): JsonValue {
  const raw = isJsonObject(value) ? value['raw'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(raw)) return value;
  const headers = new Map<string, string[]>();
  for (const pair of Array.isArray(raw['headers']) ? raw['headers'] : []) {
    const [name, line] = Array.isArray(pair) ? pair : [];
    if (typeof name === 'string' && typeof line === 'string')
      headers.set(name, [...(headers.get(name) ?? []), line]);
  }
  const at = value['received_at'];
  return {
    request: { ...raw, headers: Object.fromEntries(headers) },
    ...(typeof at === 'string' ? { reference_now: Math.floor(Date.parse(at) / 1_000) } : {}),
  };
}

function settingOf({ profile, dialect }: VerifyOptions, jwks: readonly JsonObject[]): CaptureSetting {
  const { requestTag, webhookTag, keyUseMember } = dialects[dialect];
  const legacyHeaders = (of: Dialect): LegacyHeaderNames => ({
    signature: dialects[of].legacySignatureHeader,
    timestamp: dialects[of].legacyTimestampHeader,
  });
  return {
    kind: profile,
    names: { requestTag, webhookTag, useMember: keyUseMember },
    legacyHeaders: legacyHeaders(dialect),
    otherLegacyHeaders: [legacyHeaders(dialect === 'ads' ? 'adcp' : 'ads')],
    jwks,
    now: Date.now(),
  };
}

async function readKeySet(
  deps: CliDeps,
  path: string | undefined,
): Promise<Result<readonly JsonObject[], CliFailure>> {
  if (path === undefined) return ok([]);
  const read = await readJsonFile(deps, path);
  if (!read.ok) return read;
  const keys = isJsonObject(read.value.value) ? read.value.value['keys'] : undefined;
  return Array.isArray(keys) && keys.every(isJsonObject)
    ? ok(keys)
    : err({ message: `${path} is no key set: it has no list of keys.` });
}

function explanation(deps: CliDeps, verdict: CaptureVerdict, isTestKey: boolean): string {
  const rows = verdict.steps.map(({ step, name, ok: passed, seen }) => [
    step,
    passed ? 'ok' : 'REFUSED',
    name,
    seen,
  ]);
  const lines = [table(deps, ['Step', '', 'Check', 'Saw'], rows)];
  if (verdict.ok) lines.push(`Verified${verdict.keyid === null ? '' : `: key ${plain(verdict.keyid)}`}.`);
  if (isTestKey) lines.push('This is a published test key: anyone can sign with it.');
  return lines.join('\n');
}

export interface VerifyOptions extends SignerOptions {
  readonly profile: 'request' | 'webhook';
  readonly dialect: Dialect;
  readonly json?: boolean;
}
