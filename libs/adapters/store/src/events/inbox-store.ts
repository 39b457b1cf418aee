import { keyRetainedUntil, keyMemoryMs } from '@switchyard/events';
import type { InboxEvent, InboxStore, RefusedWebhook } from '@switchyard/events';
import { batchQueries } from '../core/batch-queries.js';
import type { Store } from '../core/open-store.js';
import { claimEvents, type Claim } from './claim-events.js';
import { recordDuplicate } from './record-duplicate.js';

/**
 * Claims and stores webhooks. Concurrent ones are claimed and stored in one statement, which is committed when the
 * promise resolves.
 */
export function inboxStore(store: Store): InboxStore {
  /** What is stored together was accepted in traces of its own. */
  const traced = () => ({ traceParent: store.traceParent?.() ?? null });
  const claimAndStore = batchQueries((claims: readonly Claim[]) => claimEvents(store, claims), {
    groupOf: ({ evidence }) => evidence.organizationId,
    most: 32,
    lanes: 2,
    anySize: true,
    gathers: true,
    restMs: 5,
  });
  return {
    claimAndStore: async (event) => {
      const { nonce, ...claim }: Claim = { ...claimOf(event), ...traced(), nonce: event.nonce };
      const first = await claimAndStore({ ...claim, nonce });
      if (first !== 'duplicate') return first;
      const copy = await recordDuplicate(store, event);
      if (copy === 'duplicate' || copy === 'changed') return copy;
      if (claim.isWeaker) {
        // A shared secret proves only its own connection. Otherwise the holder of another one at the same seller could
        // use up the keys of all others there.
        return copy === 'changed_weaker' ? 'changed' : claimAndStore({ ...claim, claimant: event.sender });
      }
      // A signed webhook is not lost to one that only a shared secret proves: it claims its key where no secret can.
      return claimAndStore({ ...claim, claimant: `signed ${claim.claimant}` });
    },
    storeRefused: async (refused) => {
      const claim = { ...claimOfRefused(refused), ...traced() };
      return (await claimAndStore(claim)) === 'stored' ? 'stored' : 'duplicate';
    },
  };
}

function claimOf(event: InboxEvent): Omit<Claim, 'traceParent'> {
  return {
    evidence: event,
    claimant: event.keyspace?.owner ?? event.sender,
    claimKey: event.idempotencyKey,
    isWeaker: event.keyspace?.isWeaker ?? false,
    sender: event.sender,
    keyid: event.keyid ?? null,
    sealedId: event.sealedId ?? null,
    idempotencyKey: event.idempotencyKey,
    kind: event.kind,
    state: event.state,
    reason: event.reason ?? null,
    keepUntil: dateOf(keyRetainedUntil(event.kind, event.receivedAt)),
  };
}

/** Retries of one broken message share a claimant that no verified sender can have: those are addresses. */
function claimOfRefused(refused: RefusedWebhook): Omit<Claim, 'traceParent'> {
  return {
    evidence: refused,
    claimant: `registration:${refused.registrationId}`,
    claimKey: `body:${refused.bodyHash}`,
    isWeaker: false,
    sender: refused.sender ?? '',
    keyid: refused.keyid ?? null,
    sealedId: refused.sealedId ?? null,
    idempotencyKey: null,
    kind: refused.kind,
    state: refused.state,
    reason: refused.code,
    keepUntil: new Date(refused.receivedAt + keyMemoryMs),
  };
}

function dateOf(instant: number | undefined): Date | null {
  return instant === undefined ? null : new Date(instant);
}
