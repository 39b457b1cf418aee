import type { WebhookEvidence } from '@switchyard/events';
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
}

/** Claims and stores webhooks of one organization. For each: stored, or its key had been claimed before. */
export async function claimEvents(
  store: Store,
  claims: readonly Claim[],
): Promise<readonly ('stored' | 'duplicate')[]> {
  const rows = claims.length;
  const { rows: claimed } = await run<{ id: string }>(store.pool, {
    name: `inbox_claim_${rows}`,
    text: statements.get(rows) ?? statementOver(rows),
    values: [claims[0]?.evidence.organizationId, ...claims.flatMap(valuesOf)],
  });
  const stored = new Set(claimed.map(({ id }) => id));
  return claims.map(({ evidence }) => (stored.has(evidence.id) ? 'stored' : 'duplicate'));
}

/** The values of one row as columns, in the order of `valuesOf`. */
const given = (
  'sender text, idempotency_key text, body_hash text, event_id uuid, claimed_at timestamptz, ' +
  'keep_until timestamptz, registration_id text, connection_id uuid, said_sender text, keyid text, ' +
  'said_key text, kind text, headers jsonb, body bytea, verdict jsonb, state text, reason text, sealed_id uuid, is_weaker boolean, trace_parent text'
)
  .split(', ')
  .map((column) => column.split(' ') as [name: string, type: string]);

/**
 * Claims and events are one statement: a crash leaves both or neither, and of concurrent copies one wins while the
 * others wait for its commit and then insert nothing. Rows are claimed in the order of their keys, so that two
 * processes with the same keys cannot deadlock. The statement also sets the tenant: each row takes its organization
 * from the result of set_config, so the setting is there before row-level security checks a row.
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
  ), claimed as (
    insert into webhook_claim (sender, idempotency_key, body_hash, event_id, claimed_at, keep_until, is_weaker)
    select sender, idempotency_key, body_hash, event_id, claimed_at, keep_until, is_weaker
    from given order by sender, idempotency_key, place
    on conflict do nothing
    returning event_id
  )
  insert into inbox_event
    (id, organization_id, registration_id, connection_id, sender, keyid, idempotency_key, kind, headers, body, body_hash,
     verdict, state, reason, received_at, sealed_id, trace_parent)
  select given.event_id, scope.organization_id, registration_id, connection_id, said_sender, keyid, said_key, kind,
         headers, body, body_hash, verdict, state, reason, claimed_at, given.sealed_id, given.trace_parent
  from scope cross join claimed join given on given.event_id = claimed.event_id
  returning id`;
}

/** By number of rows: the size of a batch is a power of two. */
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
  ];
}
