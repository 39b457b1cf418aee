import {
  err,
  ok,
  parseStrictJson,
  peerJsonLimits,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Result,
  isJsonObject,
} from '@switchyard/values';
import { egressCaps, type Egress, type EgressFailureCode } from '../egress-port.js';
import { outageOf, shownAddress, type DiscoveryFailure } from './discovery-failure.js';
import { malformed } from './find-agent.js';

export type Jwks = ReadonlyMap<string, JsonObject>;

const fetchTimeoutMs = 10_000;

export async function fetchBrandJson(
  egress: Egress,
  clock: Clock,
  url: string,
  timeoutMs = fetchTimeoutMs,
): Promise<Result<JsonValue, DiscoveryFailure>> {
  const answer = await fetchDocument(egress, url, egressCaps.brandJson, timeoutMs);
  if (answer.ok) return answer;
  if ('why' in answer.error) return err(malformed(url, answer.error.why));
  const details = { brand_json_url: shownAddress(url), ...outageOf(answer.error, clock.now()) };
  return err({ code: 'brand_json_unreachable', details });
}

const untrusted: ReadonlySet<EgressFailureCode> = new Set<EgressFailureCode>([
  'blocked_url',
  'blocked_scheme',
  'blocked_address',
  'redirect_refused',
]);

/** Fetches a key set. `before` is the last good copy: unchanged keys stay the same objects. */
export async function fetchJwks(
  egress: Egress,
  clock: Clock,
  url: string,
  before: Jwks | undefined,
): Promise<Result<Jwks, DiscoveryFailure>> {
  const answer = await fetchDocument(egress, url, egressCaps.jwks);
  const failed = (of: OutageOfDocument): Result<never, DiscoveryFailure> => {
    const isTrusted = of.code === undefined || !untrusted.has(of.code);
    const details = { jwks_uri: shownAddress(url), ...outageOf(of, clock.now()) };
    return err({ code: isTrusted ? 'jwks_unavailable' : 'jwks_untrusted', details });
  };
  if (!answer.ok) return failed('why' in answer.error ? { status: 200 } : answer.error);
  const keys = readJwks(answer.value);
  if (!keys.ok) return failed({ status: 200 });
  return ok(before === undefined ? keys.value : keepingKnown(keys.value, before));
}

/** Reuses the objects of unchanged keys, so that what is cached by object stays valid. */
function keepingKnown(keys: Jwks, before: Jwks): Jwks {
  const stored = new Map<string, JsonObject>();
  for (const [kid, jwk] of keys) {
    const known = before.get(kid);
    stored.set(kid, known !== undefined && JSON.stringify(known) === JSON.stringify(jwk) ? known : jwk);
  }
  return stored;
}

/** A status other than 200, or no answer. */
interface OutageOfDocument {
  readonly status?: number;
  readonly code?: EgressFailureCode;
}

/** `why`: the document is not strict JSON. */
type DocumentFailure = OutageOfDocument | { readonly why: string };

/** Fetches the document at a URL. Any status but 200 is a failure. */
export async function fetchDocument(
  egress: Egress,
  url: string,
  maxBytes: number,
  timeoutMs = fetchTimeoutMs,
): Promise<Result<JsonValue, DocumentFailure>> {
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    maxBytes,
    timeoutMs,
  });
  if (!answer.ok) return err({ code: answer.error.code });
  const { status, body } = answer.value;
  if (status !== 200) return err({ status });
  const parsed = parseStrictJson(body, peerJsonLimits);
  return parsed.ok
    ? ok(parsed.value.value)
    : err({ why: `${parsed.error.message} ${parsed.error.pointer}`.trim() });
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Returns the keys of a JWKS by kid. A kid that occurs twice is ambiguous, and a key published with its private half is
 * compromised: neither is in the map. Fails with `malformed` if the document is no JWKS.
 */
export function readJwks(document: JsonValue): Result<ReadonlyMap<string, JsonObject>, 'malformed'> {
  const list = isJsonObject(document) ? document['keys'] : undefined;
  if (!Array.isArray(list)) return err('malformed');
  const keys = new Map<string, JsonObject>();
  const seen = new Set<string>();
  for (const jwk of list) {
    const kid = isJsonObject(jwk) ? jwk['kid'] : undefined;
    if (!isJsonObject(jwk) || typeof kid !== 'string') continue;
    if (seen.has(kid) || privateMembers.some((member) => Object.hasOwn(jwk, member))) keys.delete(kid);
    else keys.set(kid, jwk);
    seen.add(kid);
  }
  return ok(keys);
}
