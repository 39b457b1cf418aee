import type { Buffer } from 'node:buffer';
import { isJsonObject, ok, type Clock, type JsonValue, type Result } from '@switchyard/values';
import { egressCaps, type Egress, type TxtLookup } from '../egress-port.js';
import type { DiscoveryFailure } from './discovery-failure.js';
import { fetchBrandJson } from './fetch-key-documents.js';
import { findAgent, malformed, pointerOf } from './find-agent.js';

/** The domain that an organization claims, and what proves the claim. */
interface DomainClaim {
  /** A host name; for loopback with a port. */
  readonly domain: string;
  /** The text of 32 characters that the owner publishes at the domain. */
  readonly challenge: string;
  /** URLs of this agent, as a brand.json may list them. */
  readonly agentUrls: readonly string[];
  /** True if other organizations use the same URLs: a listed URL then proves nothing about one of them. */
  readonly sharesAgent: boolean;
  /** On loopback, checked over plain http and never in DNS. */
  readonly isLoopback: boolean;
}

/** The result of one check. */
export interface DomainCheck {
  readonly by: 'brand_json' | 'well_known' | 'dns';
  /** The URL or DNS name that was checked. */
  readonly at: string;
  readonly proves: boolean;
  /** Text for people: what was found, and what is missing. */
  readonly found: string;
}

interface DomainCheckDeps {
  readonly egress: Egress;
  readonly txt: TxtLookup;
  readonly clock: Clock;
}

const longestWaitMs = 5_000;

/**
 * Checks a domain in each of the ways that can prove its owner (docs/protocol/accounts.md#proof-of-a-domain). One proof
 * is enough. The results are in order of precedence.
 */
export async function checkDomain(
  deps: DomainCheckDeps,
  claim: DomainClaim,
): Promise<readonly DomainCheck[]> {
  const origin = `${claim.isLoopback ? 'http' : 'https'}://${claim.domain}`;
  const places = [
    ['brand_json', `${origin}/.well-known/brand.json`, checkBrandJson],
    ['well_known', `${origin}/.well-known/switchyard-challenge`, checkWellKnown],
    ['dns', `_switchyard.${claim.domain}`, checkDns],
  ] as const;
  // Reserved names (RFC 2606) have no owner, and a request to them would only time out.
  if (/(?:^|\.)(?:example|invalid|example\.(?:com|net|org))$/i.test(claim.domain))
    return places.map(([by, at]) => ({
      by,
      at,
      proves: false,
      found: 'The name is reserved: it is nobody’s.',
    }));
  return Promise.all(places.map(([, at, check]) => check(deps, claim, at)));
}

async function checkBrandJson(deps: DomainCheckDeps, claim: DomainClaim, at: string): Promise<DomainCheck> {
  const document = await readDocument(deps, at, claim.isLoopback);
  const result = (proves: boolean, found: string): DomainCheck => ({ by: 'brand_json', at, proves, found });
  if (!document.ok) return result(false, unreadable(document.error));
  const challenge = isJsonObject(document.value) ? document.value['switchyard_challenge'] : undefined;
  if (isChallenge(claim, challenge)) return result(true, 'It holds the challenge.');
  const isListed = claim.agentUrls.some((url) => findAgent(document.value, url, at).ok);
  const example = claim.agentUrls[0] ?? '';
  if (!isListed)
    return result(false, `It lists no agent with the url ${example} and holds no switchyard_challenge.`);
  if (!claim.sharesAgent) return result(true, 'It lists this agent.');
  return result(
    false,
    'It lists this agent, which serves several organizations. Add the member switchyard_challenge with the challenge.',
  );
}

/** Returns the domain's own document, or the one that it points to. */
async function readDocument(
  { egress, clock }: DomainCheckDeps,
  at: string,
  isLoopback: boolean,
): Promise<Result<JsonValue, DiscoveryFailure>> {
  const own = await fetchBrandJson(egress, clock, at, longestWaitMs);
  if (!own.ok) return own;
  const elsewhere = pointerOf(own.value);
  if (!elsewhere.ok || elsewhere.value === undefined) return own;
  if (!isLoopback && !elsewhere.value.startsWith('https://'))
    return { ok: false, error: malformed(at, 'it points to no https address') };
  return fetchBrandJson(egress, clock, elsewhere.value, longestWaitMs);
}

function unreadable({ code, details }: DiscoveryFailure): string {
  if (code === 'brand_json_malformed') return `It is no brand.json: ${details.parse_error}.`;
  const status = 'http_status' in details ? details.http_status : null;
  const reason = 'dns_error' in details ? details.dns_error : null;
  return `It could not be read: ${status === null ? (reason ?? code) : `HTTP ${String(status)}`}.`;
}

async function checkWellKnown(
  { egress }: DomainCheckDeps,
  claim: DomainClaim,
  url: string,
): Promise<DomainCheck> {
  const result = (proves: boolean, found: string): DomainCheck => ({
    by: 'well_known',
    at: url,
    proves,
    found,
  });
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'text/plain' },
    maxBytes: egressCaps.domainChallenge,
    timeoutMs: longestWaitMs,
  });
  if (!answer.ok) return result(false, `It could not be read: ${answer.error.message}.`);
  const { status, body } = answer.value;
  if (status !== 200) return result(false, `It could not be read: HTTP ${String(status)}.`);
  return isChallenge(claim, textOf(body))
    ? result(true, 'It holds the challenge.')
    : result(false, 'It holds something else than the challenge.');
}

/** An empty challenge proves nothing. */
const isChallenge = ({ challenge }: DomainClaim, text: unknown): boolean =>
  challenge !== '' && text === challenge;

const textOf = (body: Buffer): string => body.toString('utf8').trim();

async function checkDns({ txt }: DomainCheckDeps, claim: DomainClaim, name: string): Promise<DomainCheck> {
  const result = (proves: boolean, found: string): DomainCheck => ({ by: 'dns', at: name, proves, found });
  const records = claim.isLoopback ? ok([]) : await txt(name);
  if (!records.ok) return result(false, `The name service did not answer: ${records.error.message}.`);
  if (records.value.some((record) => isChallenge(claim, record.trim())))
    return result(true, 'A TXT record holds the challenge.');
  return records.value.length === 0
    ? result(false, 'There is no TXT record.')
    : result(false, 'No TXT record holds the challenge.');
}
