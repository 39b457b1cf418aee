import type { KeyFailure } from '@switchyard/signing';
import { err, ok, parseStrictJson, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { egressCaps, type Egress, type EgressFailureCode } from '../egress-port.js';
import { readJwks } from './read-jwks.js';

export type Jwks = ReadonlyMap<string, JsonObject>;

const fetchTimeoutMs = 10_000;

export async function fetchBrandJson(
  egress: Egress,
  url: string,
  timeoutMs = fetchTimeoutMs,
): Promise<Result<JsonValue, KeyFailure>> {
  const answer = await fetchDocument(egress, url, egressCaps.brandJson, timeoutMs);
  if (!answer.ok) return err('brand_json_unreachable');
  return answer.value === undefined ? err('brand_json_malformed') : ok(answer.value);
}

const untrusted: ReadonlySet<EgressFailureCode> = new Set<EgressFailureCode>([
  'blocked_url',
  'blocked_scheme',
  'blocked_address',
  'redirect_refused',
]);

/** The key set at an address. `before` is the last good copy: what is unchanged stays the same object. */
export async function fetchJwks(
  egress: Egress,
  url: string,
  before: Jwks | undefined,
): Promise<Result<Jwks, KeyFailure>> {
  const answer = await fetchDocument(egress, url, egressCaps.jwks);
  if (!answer.ok) return err(untrusted.has(answer.error) ? 'jwks_untrusted' : 'jwks_unavailable');
  const keys = readJwks(answer.value ?? null);
  if (!keys.ok) return err('jwks_unavailable');
  return ok(before === undefined ? keys.value : keepingKnown(keys.value, before));
}

/** Keys that did not change stay the objects that they were, so that what is remembered about them stays too. */
function keepingKnown(keys: Jwks, before: Jwks): Jwks {
  const kept = new Map<string, JsonObject>();
  for (const [kid, jwk] of keys) {
    const known = before.get(kid);
    kept.set(kid, known !== undefined && JSON.stringify(known) === JSON.stringify(jwk) ? known : jwk);
  }
  return kept;
}

/** The document at an address; undefined for one that is not strict JSON. Any status but 200 is a failure. */
export async function fetchDocument(
  egress: Egress,
  url: string,
  maxBytes: number,
  timeoutMs = fetchTimeoutMs,
): Promise<Result<JsonValue | undefined, EgressFailureCode>> {
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    maxBytes,
    timeoutMs,
  });
  if (!answer.ok) return err(answer.error.code);
  if (answer.value.status !== 200) return err('broken_response');
  const parsed = parseStrictJson(answer.value.body);
  return ok(parsed.ok ? parsed.value.value : undefined);
}
