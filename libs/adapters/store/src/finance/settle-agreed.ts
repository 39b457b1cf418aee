import { decideResolution, type LedgerEntry } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { present } from '../core/present.js';
import type { Row } from '../core/row-mapper.js';
import type { TenantSession } from '../core/tenant-client.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { breakRow, resolvedBefore } from './break-verdict.js';

interface Settling {
  readonly period: string;
  /** UUID of the principal. */
  readonly by: string;
  /** Of the differences, as they are stored. */
  readonly fingerprints: readonly string[];
}

/** Accepts what agreements leave of the delivery, in one block: the books follow what is owed. */
export async function settleAgreed(
  client: TenantSession,
  { period, by, fingerprints }: Settling,
  at: Instant,
): Promise<void> {
  if (fingerprints.length === 0) return;
  const head = await lockHead(client);
  const { rows } = await client.query<Row>(
    `select * from reconciliation_break where organization_id = $1 and period = $2 and state = 'open'
       and fingerprint = any($3::text[]) order by id for update`,
    [client.organizationId, period, fingerprints],
  );
  const open = present({ openFrom: await openFrom(client) });
  const entries: LedgerEntry[] = [];
  for (const found of rows.map(breakRow)) {
    const before = found.round === 1 ? undefined : await resolvedBefore(client, found);
    const draft = { as: 'accept', reason: found.cause, by } as const;
    const facts = { found, documents: [], ...open, ...present({ before }) };
    entries.push(decideResolution(facts, draft, { entryId: timeOrderedId(at), at }).entry);
  }
  await client.query(
    `update reconciliation_break b set state = 'resolved', resolution = 'accept', reason = b.cause, resolved_by = $2,
       resolved_at = $3, entry_id = e.entry_id
     from unnest($4::uuid[], $5::uuid[]) e (break_id, entry_id) where b.organization_id = $1 and b.id = e.break_id`,
    [
      ...[client.organizationId, by, new Date(at)],
      entries.map(({ operationId }) => operationId),
      entries.map(({ id }) => id),
    ],
  );
  if (entries.length > 0) await appendBlock(client, head, entries, at);
}
