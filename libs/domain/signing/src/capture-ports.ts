import { err, isJsonObject, ok, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';
import { strings, type Capture } from './capture.js';
import { keyFailures, type KeyFailure, type ReplayStore, type RevocationSource } from './ports.js';
import type { VerifierPorts } from './verify/verify-step.js';

const failures: ReadonlySet<string> = new Set(keyFailures);

/**
 * Returns the verifier's ports for a capture: its keys, and its earlier nonces, counts and revocations. Three members
 * of the state are ours: `key_discovery_failure`, the suffix of a code, `key_discovery_details`, the details of that
 * failure, and `rsa_pss_signers`, the key ids that are registered with `rsa-pss-sha512`.
 */
export function portsOf(capture: Capture, jwks: readonly JsonObject[], at: Instant): VerifierPorts {
  const { state } = capture;
  const published = capture.keys ?? jwks.filter((jwk) => isReferred(jwk, capture.keyids));
  const { key_discovery_failure: failure, key_discovery_details: details } = state;
  return {
    keys: {
      resolve: (keyid) => {
        if (typeof failure === 'string' && failures.has(failure))
          return Promise.resolve(err(failure as KeyFailure));
        const jwk = published.find((key) => key['kid'] === keyid);
        return Promise.resolve(
          jwk === undefined ? err('key_unknown') : ok({ jwk, agentUrl: 'the given key set' }),
        );
      },
      // The details that the original verifier found, in the members of a stored verdict.
      explain: (_keyid, code) =>
        Promise.resolve(
          isJsonObject(details) ? { seen: code, details: { ...details, failure: code } } : undefined,
        ),
      allowsRsaPss: (keyid) => strings(state['rsa_pss_signers']).includes(keyid),
    },
    replays: replaysOf(state),
    revocations: revocationsOf(state, at),
  };
}

function isReferred(jwk: JsonObject, keyids: readonly string[] | undefined): boolean {
  return keyids === undefined || (typeof jwk['kid'] === 'string' && keyids.includes(jwk['kid']));
}

function replaysOf(state: JsonObject): ReplayStore {
  const entries = state['replay_cache_entries'];
  const seen = new Set(
    (Array.isArray(entries) ? entries : []).map((entry) =>
      isJsonObject(entry) ? JSON.stringify([entry['keyid'], entry['nonce']]) : '',
    ),
  );
  const hit = state['replay_cache_per_keyid_cap_hit'];
  const filled = state['per_keyid_cap_filled_for'];
  const full = [
    ...(isJsonObject(hit) ? strings([hit['keyid'] ?? null]) : []),
    ...strings(Array.isArray(filled) ? filled : [filled ?? null]),
  ];
  // The store's key is the key id followed by its signer; a capture has one signer for each key id.
  const keyidOf = (key: string): string => key.slice(0, key.indexOf(' '));
  return {
    isFull: (key) => Promise.resolve(full.includes(keyidOf(key))),
    claim: (key, nonce) =>
      Promise.resolve(seen.has(JSON.stringify([keyidOf(key), nonce])) ? 'replayed' : 'claimed'),
  };
}

function revocationsOf(state: JsonObject, at: Instant): RevocationSource {
  const list = isJsonObject(state['revocation_list']) ? state['revocation_list'] : {};
  const revoked = [...strings(state['revoked_kids']), ...strings(list['revoked_kids'])];
  const staleSeconds = state['revocation_list_stale_seconds'];
  const isStale = (typeof staleSeconds === 'number' && staleSeconds > 0) || isPastGrace(list, at);
  return {
    status: (keyid) => Promise.resolve(isStale ? 'stale' : revoked.includes(keyid) ? 'revoked' : 'ok'),
  };
}

/** A list is valid until its next update plus four of its own intervals. */
function isPastGrace(list: JsonObject, at: Instant): boolean {
  const updated = instantOf(list['updated']);
  const next = instantOf(list['next_update']);
  return updated !== undefined && next !== undefined && at > next + 4 * (next - updated);
}

function instantOf(value: JsonValue | undefined): Instant | undefined {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}
