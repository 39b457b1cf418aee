import type { WebhookEvidence } from '@switchyard/events';
import type { UnclaimedNonce } from '@switchyard/signing';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

/** The values of one row of `inbox_event` and its claim. */
export interface Claim {
  readonly evidence: WebhookEvidence & { readonly id: string };
  readonly claimant: string;
  readonly claimKey: string;
  /** Claimed by less than a signature. */
  readonly isWeaker: boolean;
  readonly sender: string;
  readonly keyid: string | null;
  readonly idempotencyKey: string | null;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly keepUntil: Date | null;
  readonly sealedId: string | null;
  /** The trace in which it was accepted, as `traceparent`. */
  readonly traceParent: string | null;
  /** Claimed first: nothing is stored of a message whose nonce was used. */
  readonly nonce?: UnclaimedNonce | undefined;
}

export type ClaimOutcome = 'stored' | 'duplicate' | 'replayed';

/** Claims and stores webhooks of one organization. For each: stored, or its key or its nonce had been claimed before. */
export async function claimEvents(store: Store, claims: readonly Claim[]): Promise<readonly ClaimOutcome[]> {
  const sent = withoutRepeats(claims);
  const rows = 2 ** Math.ceil(Math.log2(sent.size));
  const { rows: ended } = await run<{ id: string; outcome: ClaimOutcome }>(store.pool, {
    name: `inbox_claim_${rows}`,
    text: statements.get(rows) ?? statementOver(rows),
    values: [
      claims[0]?.evidence.organizationId,
      ...[...sent].flatMap(valuesOf),
      ...new Array<null>((rows - sent.size) * given.length).fill(null),
    ],
  });
  const outcomes = new Map(ended.map(({ id, outcome }) => [id, outcome]));
  return claims.map((claim) =>
    sent.has(claim) ? (outcomes.get(claim.evidence.id) ?? 'duplicate') : 'replayed',
  );
}

/** Of equal nonces only the first can be new. */
function withoutRepeats(claims: readonly Claim[]): ReadonlySet<Claim> {
  const first = new Map<unknown, Claim>();
  for (const claim of claims) {
    const { nonce } = claim;
    const place = nonce === undefined ? claim : `${nonce.nonce} ${nonce.key}`;
    if (!first.has(place)) first.set(place, claim);
  }
  return new Set(first.values());
}

/** The values of one row as columns, in the order of `valuesOf`. */
const given = (
  'sender text, idempotency_key text, body_hash text, event_id uuid, claimed_at timestamptz, ' +
  'keep_until timestamptz, registration_id text, connection_id uuid, said_sender text, keyid text, ' +
  'said_key text, kind text, headers jsonb, body bytea, verdict jsonb, state text, reason text, sealed_id uuid, is_weaker boolean, trace_parent text, nonce_key text, nonce text, nonce_until timestamptz'
)
  .split(', ')
  .map((column) => column.split(' ') as [name: string, type: string]);

/**
 * Nonces, claims and events are one statement: a crash leaves all or none, and of concurrent copies one wins while the
 * others wait for its commit and then insert nothing. First all nonces are claimed, then events, each in the order of
 * their keys, so that two processes with the same ones cannot deadlock. The statement also sets the tenant: each row
 * takes its organization from the result of set_config, so the setting is there before row-level security checks a row.
 */
function statementOver(rows: number): string {
  const tuples = Array.from({ length: rows }, (_none, row) => {
    const values = given.map(([, type], at) => `$${2 + row * given.length + at}::${type}`);
    return `(${row}, ${values.join(', ')})`;
  });
  return `
  with scope as materialized (
    select set_config('switchyard.organization_id', $1, true)::uuid as organization_id
  ), given (place, ${given.map(([name]) => name).join(', ')}) as (
    values ${tuples.join(', ')}
  ), fresh as (
    insert into signature_nonce (keyid, nonce, expires_at)
    select nonce_key, nonce, nonce_until from given where nonce is not null order by nonce_key, nonce
    on conflict do nothing
    returning keyid, nonce
  ), used as (
    select event_id from given where nonce is not null and (nonce_key, nonce) not in (select keyid, nonce from fresh)
  ), claimed as (
    insert into webhook_claim (sender, idempotency_key, body_hash, event_id, claimed_at, keep_until, is_weaker)
    select sender, idempotency_key, body_hash, event_id, claimed_at, keep_until, is_weaker
    from given where event_id is not null and event_id not in (select event_id from used) order by sender, idempotency_key, place
    on conflict do nothing
    returning event_id
  ), stored as (
  insert into inbox_event
    (id, organization_id, registration_id, connection_id, sender, keyid, idempotency_key, kind, headers, body, body_hash,
     verdict, state, reason, received_at, sealed_id, trace_parent)
  select given.event_id, scope.organization_id, registration_id, connection_id, said_sender, keyid, said_key, kind,
         headers, body, body_hash, verdict, state, reason, claimed_at, given.sealed_id, given.trace_parent
  from scope cross join claimed join given on given.event_id = claimed.event_id
  returning id)
  select id, 'stored' as outcome from stored union all select event_id, 'replayed' from used`;
}

/** By number of rows, a power of two: those that a batch does not fill are null. */
const statements = new Map([1, 2, 4, 8, 16, 32].map((rows) => [rows, statementOver(rows)]));

function valuesOf(claim: Claim): readonly unknown[] {
  const { evidence } = claim;
  return [
    ...[claim.claimant, claim.claimKey, evidence.bodyHash, evidence.id, new Date(evidence.receivedAt)],
    ...[claim.keepUntil, evidence.registrationId, evidence.connectionId, claim.sender, claim.keyid],
    ...[claim.idempotencyKey, claim.kind, JSON.stringify(evidence.headers), evidence.body],
    ...[
      JSON.stringify(evidence.verdict),
      claim.state,
      claim.reason,
      claim.sealedId,
      claim.isWeaker,
      claim.traceParent,
    ],
    ...[claim.nonce?.key ?? null, claim.nonce?.nonce ?? null, claim.nonce && new Date(claim.nonce.expiresAt)],
  ];
}
