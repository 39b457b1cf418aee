import type { JSONWebKeySet } from 'jose';
import { egressCaps, type Egress } from '@switchyard/sellers';
import { parseStrictJson, peerJsonLimits } from '@switchyard/values';
import { readKeySet } from './read-key-set.js';

const fetchTimeoutMs = 10_000;

/** The key set at an address; undefined for any other answer, or none. */
export async function fetchKeySet(
  egress: Pick<Egress, 'request'>,
  url: string,
): Promise<JSONWebKeySet | undefined> {
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    maxBytes: egressCaps.jwks,
    timeoutMs: fetchTimeoutMs,
  });
  if (!answer.ok || answer.value.status !== 200) return undefined;
  const parsed = parseStrictJson(answer.value.body, peerJsonLimits);
  return parsed.ok ? readKeySet(parsed.value.value) : undefined;
}
