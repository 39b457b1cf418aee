import { err, isJsonObject, ok, parseStrictJson, type JsonObject, type Result } from '@switchyard/values';
import { egressCaps, type Egress, type EgressAnswer } from '../egress-port.js';
import { authoritativeLocation } from './read-adagents.js';
import { isSameSite } from './same-site.js';

/** `absent`: the publisher has no such document. `unavailable`: its current content is unknown. */
export type AdagentsFailure = 'absent' | 'unavailable';

interface FetchedAdagents {
  readonly document: JsonObject;
  /** Milliseconds for which the publisher allows caching; undefined if it sets no limit. */
  readonly maxAgeMs?: number;
}

const mostRedirects = 3;
const timeoutMs = 10_000;

/**
 * Fetches a publisher's adagents.json from its own domain, over at most three redirects within its site. If the
 * document names an authoritative location, returns that document; there no redirect is followed.
 */
export async function fetchAdagents(
  egress: Egress,
  publisher: string,
): Promise<Result<FetchedAdagents, AdagentsFailure>> {
  const first = await getFollowing(egress, `https://${publisher}/.well-known/adagents.json`);
  if (!first.ok) return first;
  const elsewhere = authoritativeLocation(first.value.document);
  if (elsewhere === undefined) return first;
  if (!elsewhere.startsWith('https://')) return err('unavailable');
  const second = await get(egress, elsewhere, egressCaps.adagentsElsewhere);
  if (!second.ok) return err('unavailable');
  // A pointer to a pointer is an error: only one other document may replace the publisher's own.
  return second.value.kind === 'document' && authoritativeLocation(second.value.document) === undefined
    ? ok(second.value)
    : err('unavailable');
}

type Got =
  ({ readonly kind: 'document' } & FetchedAdagents) | { readonly kind: 'moved'; readonly to: string };

async function getFollowing(
  egress: Egress,
  start: string,
): Promise<Result<FetchedAdagents, AdagentsFailure>> {
  let url = start;
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    const got = await get(egress, url, egressCaps.adagents);
    if (!got.ok) return got;
    if (got.value.kind === 'document') return ok(got.value);
    const next = URL.canParse(got.value.to, url) ? new URL(got.value.to, url) : undefined;
    if (next?.protocol !== 'https:' || !isSameSite(next.hostname, new URL(start).hostname)) break;
    url = next.href;
  }
  return err('unavailable');
}

/** Maximum members of a document: that of a network with thousands of properties has about 100,000. */
const mostMembers = 150_000;

async function get(egress: Egress, url: string, maxBytes: number): Promise<Result<Got, AdagentsFailure>> {
  const headers = { accept: 'application/json' };
  const answer = await egress.request({
    method: 'GET',
    url,
    headers,
    maxBytes,
    timeoutMs,
    returnsRedirects: true,
  });
  if (!answer.ok) return err(answer.error.code === 'unresolved' ? 'absent' : 'unavailable');
  const { status, body } = answer.value;
  if (status === 404 || status === 410) return err('absent');
  if (status >= 300 && status < 400) {
    const to = answer.value.headers['location'];
    return typeof to === 'string' ? ok({ kind: 'moved', to }) : err('unavailable');
  }
  const parsed = status === 200 ? parseStrictJson(body, { maxMembers: mostMembers }) : undefined;
  if (parsed?.ok !== true || !isJsonObject(parsed.value.value)) return err('unavailable');
  return ok({ kind: 'document', document: parsed.value.value, ...ageOf(answer.value) });
}

function ageOf({ headers }: EgressAnswer): { readonly maxAgeMs?: number } {
  const reported = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(
    String(headers['cache-control'] ?? ''),
  )?.[1];
  return reported === undefined ? {} : { maxAgeMs: Number(reported) * 1000 };
}
