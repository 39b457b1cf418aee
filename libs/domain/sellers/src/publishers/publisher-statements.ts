import { err, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from '../keys/cached-fetch.js';
import { fetchAdagents, type AdagentsFailure } from '../keys/fetch-adagents.js';
import { isPublicName } from '../keys/publisher-pins.js';
import { agentKey, readAuthorizations, type Authorizations, type Delegation } from './read-authorizations.js';

/** Why it is unknown whether a publisher authorizes an agent. */
type UnverifiedReason =
  | 'no_document'
  | 'unreachable'
  | 'lists_nobody'
  | 'too_long'
  | 'reserved_name'
  | 'not_in_time';

/** What a publisher's own document states about an agent that claims to sell the publisher's inventory. */
export type PublisherStatement =
  | { readonly state: 'authorized'; readonly delegation?: Delegation }
  | { readonly state: 'not_authorized' }
  | { readonly state: 'unverified'; readonly reason: UnverifiedReason };

export type StatementOn = (publisher: string, agentUrl: string) => PublisherStatement;

export interface PublisherStatements {
  /**
   * Fetches the adagents.json of these publishers, waiting at most `timeoutMs`. A document that arrives later is
   * unverified in this result and may be known in the next.
   */
  of(publishers: readonly string[], timeoutMs: number): Promise<StatementOn>;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Maximum fetches for one request, because sellers choose their publishers. The next request fetches the rest. */
const fetchedAtMost = 100;
const atATime = 8;

interface Copy extends Authorizations {
  readonly fetchedAt: Instant;
  readonly cacheMs: number;
}

/**
 * Checks by publishers' own documents whether agents may sell their inventory (docs/protocol/products.md#publishers and
 * docs/protocol/products.md#same-supply). Each document is cached for its own max-age, between a minute and a day. A
 * copy that cannot be refreshed is used for a day.
 */
export function createPublisherStatements({
  egress,
  clock,
}: {
  readonly egress: Egress;
  readonly clock: Clock;
}): PublisherStatements {
  const cache = new CachedFetch<Copy, AdagentsFailure>(
    (publisher, before) => load(egress, clock, publisher, before),
    { good: (copy) => copy.cacheMs, bad: minute, cooldown: minute },
    clock,
  );
  return {
    of: async (publishers, timeoutMs) => {
      const names = [...new Set(publishers.map((publisher) => publisher.toLowerCase()))].filter(isPublicName);
      const unknown = names.filter((name) => cache.known(name) === undefined).slice(0, fetchedAtMost);
      if (unknown.length > 0 && timeoutMs > 0) await fetchAll(cache, clock, unknown, timeoutMs);
      return (publisher, agentUrl) => wordOf(cache, publisher.toLowerCase(), agentUrl, clock.now());
    },
  };
}

async function fetchAll(
  cache: CachedFetch<Copy, AdagentsFailure>,
  clock: Clock,
  names: readonly string[],
  timeoutMs: number,
): Promise<void> {
  const queue = [...names];
  let isOver = false;
  let stop = (): void => undefined;
  const timeout = new Promise<void>((resolve) => (stop = clock.after(timeoutMs, resolve)));
  const fetchInTurn = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined && !isOver; name = queue.shift()) await cache.get(name);
  };
  await Promise.race([Promise.all(Array.from({ length: atATime }, fetchInTurn)), timeout]);
  isOver = true;
  stop();
}

function wordOf(
  cache: CachedFetch<Copy, AdagentsFailure>,
  publisher: string,
  agentUrl: string,
  now: Instant,
): PublisherStatement {
  if (!isPublicName(publisher)) return unverified('reserved_name');
  const known = cache.known(publisher);
  if (known === undefined) return unverified('not_in_time');
  if (!known.ok) return unverified(known.error === 'absent' ? 'no_document' : 'unreachable');
  const { byAgent, isSilent, isRevoked, isCut } = known.value;
  if (isRevoked) return { state: 'not_authorized' };
  if (isSilent) return unverified('lists_nobody');
  const open = (byAgent.get(agentKey(agentUrl)) ?? []).filter(
    ({ from, until }) => from <= now && now < until,
  );
  if (open.length > 0) {
    const delegation = nearest.find((authorization) =>
      open.some((entry) => entry.delegation === authorization),
    );
    return { state: 'authorized', ...(delegation === undefined ? {} : { delegation }) };
  }
  return isCut ? unverified('too_long') : { state: 'not_authorized' };
}

/** An agent may be listed several times: the most direct delegation is reported. */
const nearest: readonly Delegation[] = ['direct', 'delegated', 'ad_network'];

function unverified(reason: UnverifiedReason): PublisherStatement {
  return { state: 'unverified', reason };
}

async function load(
  egress: Egress,
  clock: Clock,
  publisher: string,
  before: Copy | undefined,
): Promise<Result<Copy, AdagentsFailure>> {
  const fetched = await fetchAdagents(egress, publisher);
  if (!fetched.ok && fetched.error === 'absent') return fetched;
  const now = clock.now();
  const read = fetched.ok ? readAuthorizations(fetched.value.document, publisher) : undefined;
  if (!fetched.ok || read === undefined || isOlder(read, before))
    return before !== undefined && now - before.fetchedAt < day
      ? ok({ ...before, cacheMs: minute })
      : err('unavailable');
  const cacheMs = Math.min(Math.max(fetched.value.maxAgeMs ?? hour, minute), day);
  return ok({ ...read, fetchedAt: now, cacheMs });
}

/** Rejects a document older than the cached one: an attacker may replay it to bring back a removed agent. */
function isOlder(read: Authorizations, before: Copy | undefined): boolean {
  if (before?.lastUpdated === undefined) return false;
  // A time that was still to come when it was read would hold every later document off.
  const known = Math.min(before.lastUpdated, before.fetchedAt);
  return read.lastUpdated === undefined || read.lastUpdated < known;
}
