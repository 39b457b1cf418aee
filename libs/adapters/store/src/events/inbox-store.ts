import { keepKeyUntil, keyMemoryMs } from '@switchyard/events';
import type { InboxEvent, InboxStore, RefusedWebhook, WebhookEvidence } from '@switchyard/events';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';
import { recordDuplicate } from './record-duplicate.js';

/** What one row of `inbox_event` and its claim hold. */
interface Claim {
  readonly evidence: WebhookEvidence & { readonly id: string };
  readonly claimant: string;
  readonly claimKey: string;
  readonly sender: string;
  readonly keyid: string | null;
  readonly idempotencyKey: string | null;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly keepUntil: Date | null;
}

/** Claims and keeps webhooks: one statement each, committed when the promise resolves. */
export function inboxStore(store: Store): InboxStore {
  return {
    claimAndStore: async (event) =>
      (await claimAndStore(store, claimOf(event))) === 'stored' ? 'stored' : recordDuplicate(store, event),
    storeRefused: (refused) => claimAndStore(store, claimOfRefused(refused)),
  };
}

/**
 * The claim and the event are one statement: a crash leaves both or neither, and of simultaneous copies one wins
 * while the others wait for its commit and then insert nothing. The tenant is named inside it too: each row takes its
 * organization from what set_config answers, so the setting is there before row-level security looks.
 */
const statement = `
  with scope as materialized (
    select set_config('switchyard.organization_id', $1, true)::uuid as organization_id
  ), claimed as (
    insert into webhook_claim (sender, idempotency_key, body_hash, event_id, claimed_at, keep_until)
    values ($2, $3, $4, $5, $6, $18)
    on conflict do nothing
    returning event_id, body_hash, claimed_at
  )
  insert into inbox_event
    (id, organization_id, registration_id, connection_id, sender, keyid, idempotency_key, kind, headers, body, body_hash,
     verdict, state, reason, received_at)
  select claimed.event_id, scope.organization_id, $7, $8, $9, $10, $11, $12, $13, $14, claimed.body_hash, $15, $16, $17,
         claimed.claimed_at
  from scope cross join claimed`;

async function claimAndStore(store: Store, claim: Claim): Promise<'stored' | 'duplicate'> {
  const { evidence } = claim;
  const { rowCount } = await run(store.pool, {
    name: 'inbox_claim',
    text: statement,
    values: [
      evidence.organizationId,
      claim.claimant,
      claim.claimKey,
      evidence.bodyHash,
      evidence.id,
      new Date(evidence.receivedAt),
      evidence.registrationId,
      evidence.connectionId,
      claim.sender,
      claim.keyid,
      claim.idempotencyKey,
      claim.kind,
      JSON.stringify(evidence.headers),
      evidence.body,
      JSON.stringify(evidence.verdict),
      claim.state,
      claim.reason,
      claim.keepUntil,
    ],
  });
  return rowCount === 1 ? 'stored' : 'duplicate';
}

function claimOf(event: InboxEvent): Claim {
  return {
    evidence: event,
    claimant: event.sender,
    claimKey: event.idempotencyKey,
    sender: event.sender,
    keyid: event.keyid,
    idempotencyKey: event.idempotencyKey,
    kind: event.kind,
    state: event.state,
    reason: event.reason ?? null,
    keepUntil: dateOf(keepKeyUntil(event.kind, event.receivedAt)),
  };
}

/** Retries of one broken message collapse under a claimant that no verified sender can be: those are addresses. */
function claimOfRefused(refused: RefusedWebhook): Claim {
  return {
    evidence: refused,
    claimant: `registration:${refused.registrationId}`,
    claimKey: `body:${refused.bodyHash}`,
    sender: refused.sender ?? '',
    keyid: refused.keyid ?? null,
    idempotencyKey: null,
    kind: 'other',
    state: 'refused',
    reason: refused.code,
    keepUntil: new Date(refused.receivedAt + keyMemoryMs),
  };
}

function dateOf(instant: number | undefined): Date | null {
  return instant === undefined ? null : new Date(instant);
}
