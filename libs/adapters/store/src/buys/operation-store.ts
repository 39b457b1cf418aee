import type {
  BuyFilter,
  Elsewhere,
  MediaBuyRecord,
  OperationDraft,
  OperationState,
  OperationStore,
} from '@switchyard/buys';
import { readTaskStatus, type TaskStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { retryDeadlock } from '../core/retry-deadlock.js';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import { withinReach } from '../core/within-reach.js';
import type { Rows, Statement } from '../core/tenant-client.js';
import { announceMove, isAnnounced } from '../outbox/announce.js';
import { rotateRegistration } from '../outbox/registration-row.js';
import { NotWithinLimits } from '../spending/commit-spend.js';
import { beginOperation, CreativeTaken } from './begin-operation.js';
import { changeState, type ChangeOptions } from './change-state.js';
import { readOffers, saveOffers, readProposals, saveProposals } from './offers.js';
import { readMediaBuys } from './read-media-buys.js';
import { readState } from './read-state.js';
import { changeOf, legOf, operationOf, sellerBuyOf } from './rows.js';
import type { Row } from '../core/row-mapper.js';

/** The store of buys on PostgreSQL, with hand-written statements because every request of a buyer uses it. */
export function operationStore(store: Store, options: ChangeOptions = {}): OperationStore {
  const inTenant: Store['inTenant'] = (scope, work) => store.inTenant(scope, work);
  const byKeys: Store['inTenant'] = (scope, work) => store.inTenant(scope, work, 'by_keys');
  /** One statement by a key, sent together with its BEGIN and COMMIT. */
  const byKey = <R extends object>(scope: TenantScope, statement: Statement): Promise<Rows<R>> =>
    byKeys(scope, (client) => client.lastQuery<R>(statement));
  const oneState = (
    scope: TenantScope,
    where: string,
    values: readonly unknown[],
  ): Promise<OperationState | undefined> => byKeys(scope, (client) => readState(client, where, values));
  return {
    begin: async (scope, draft: OperationDraft) => {
      try {
        return await retryDeadlock(() =>
          byKeys(scope, (client) => beginOperation(client, draft, options.approvalMs)),
        );
      } catch (error) {
        if (error instanceof NotWithinLimits || error instanceof CreativeTaken) return error.reason;
        throw error;
      }
    },
    byKey: async (scope, principalId, key) => {
      const text = 'SELECT * FROM operation WHERE principal_id = $1 AND idempotency_key = $2';
      const { rows } = await byKey<Row>(scope, { text, values: [principalId, storableText(key)] });
      return rows[0] === undefined ? undefined : operationOf(rows[0]);
    },
    state: (scope, operationId) => oneState(scope, 'id = $1', [operationId]),
    byTaskId: (scope, reach, taskId) => {
      const { text, values } = withinReach('operation', reach, 2);
      return oneState(scope, `task_id = $1 AND ${text}`, [storableText(taskId), ...values]);
    },
    takeLeg: async (scope, legId, now, leaseUntil) => {
      const values = [legId, new Date(now), new Date(leaseUntil)];
      const { rows } = await byKey<Row>(scope, { text: takeLeg, values });
      return rows[0] === undefined ? undefined : legOf(rows[0]);
    },
    releaseLeg: async (scope, { id, attempts, sentAt }, nextAt, what) => {
      const sent = sentAt === undefined ? null : new Date(sentAt);
      const text = what === 'unsent' ? giveBackUnsent : releaseLeg;
      await byKey(scope, { text, values: [id, attempts, sent, new Date(nextAt)] });
    },
    parkLeg: (scope, legId, reason, at) =>
      inTenant(scope, async (client) => {
        const finding = storableJson([{ code: 'LEG_PARKED', message: reason }]);
        await client.query(parkLeg, [legId, finding, new Date(at)]);
      }),
    change: (scope, legId, decide) =>
      retryDeadlock(() =>
        store.inTenant(scope, (client) => changeState(client, legId, decide, options), 'by_keys'),
      ),
    saveAnswer: (scope, operationId, answer, at) =>
      byKeys(scope, async (client) => {
        const [saved] = await Promise.all([
          client.query<{ readonly status: TaskStatus }>(saveAnswer, [
            operationId,
            storableJson(answer),
            new Date(at),
          ]),
          // From the update's first answer on, its addresses are those of its buy.
          rotateRegistration(client, operationId, at),
        ]);
        // A change while the answer was being sent is owed to the buyer, who got the older status.
        const received = readTaskStatus(answer['status']);
        const status = saved.rows[0]?.status;
        if (status === undefined || received === undefined || options.announce === undefined) return;
        if (!isAnnounced(received, status)) return;
        const state = await readState(client, 'id = $1', [operationId]);
        if (state !== undefined) await announceMove(client, options.announce, received, state);
      }),
    abandon: (scope, operationId, at) =>
      inTenant(scope, async (client) => {
        await client.query(giveUp, [operationId, new Date(at)]);
      }),
    dueLegs: (scope, now, limit, except = []) =>
      inTenant(scope, async (client) =>
        (await client.query<Row>(dueLegs, [new Date(now), limit, except])).rows.map(legOf),
      ),
    leg: async (scope, legId, reach = { kind: 'everything' }) => {
      const { text, values } = withinReach('o', reach, 2);
      const { rows } = await byKey<Row>(scope, {
        text: reach.kind === 'everything' ? oneLeg : `${oneLegOf} AND ${text}`,
        values: [legId, ...values],
      });
      return rows[0] === undefined ? undefined : legOf(rows[0]);
    },
    mediaBuy: (scope, id) =>
      inTenant(scope, async (client): Promise<MediaBuyRecord | undefined> => {
        const [found] = await readMediaBuys(client, { ids: [id], limit: 1 });
        return found;
      }),
    mediaBuys: (scope, filter: BuyFilter) => inTenant(scope, (client) => readMediaBuys(client, filter)),
    legsAbout: (scope, mediaBuyId) =>
      inTenant(scope, async (client) =>
        (await client.query<Row>(legsAbout, [storableText(mediaBuyId)])).rows.map(legOf),
      ),
    changesOf: (scope, mediaBuyId, limit) =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(changesOf, [storableText(mediaBuyId), limit]);
        return rows.map(changeOf);
      }),
    sellerBuyOf: async (scope, connectionId, sellerMediaBuyId) => {
      const values = [connectionId, storableText(sellerMediaBuyId)];
      const { rows } = await byKey<Row>(scope, {
        text: sellerBuyNamed,
        values,
      });
      return rows[0] === undefined ? undefined : sellerBuyOf(rows[0]);
    },
    holdersOf: async (scope, connectionId, sellerMediaBuyId) => {
      const { rows } = await byKey<Row & { readonly standing: Elsewhere }>(scope, {
        text: holders,
        values: [connectionId, storableText(sellerMediaBuyId)],
      });
      const [row] = rows;
      // A connection of another tenant returns no row: the buy counts as taken.
      if (row === undefined) return { elsewhere: 'taken' };
      return { elsewhere: row.standing, ...(row['id'] !== null && { own: sellerBuyOf(row) }) };
    },
    saveOffers: (scope, quotes) => saveOffers(store, scope, quotes),
    offers: (scope, prefixedIds) => readOffers(store, scope, prefixedIds),
    saveProposals: (scope, quotes) => inTenant(scope, (client) => saveProposals(client, quotes)),
    proposals: (scope, prefixedIds) => readProposals(store, scope, prefixedIds),
  };
}

/**
 * No leg of a stopped seller is sent or polled, and no leg of a stopped principal is sent for the first time. They stay
 * due and continue with the next poll after the stop.
 */
const notStopped = `NOT EXISTS (
      SELECT FROM emergency_stop s
      WHERE s.kind = 'all' OR (s.kind = 'seller' AND s.subject = leg.connection_id::text)
        OR (s.kind = 'principal' AND leg.status = 'pending'
          AND s.subject = (SELECT o.principal_id::text FROM operation o WHERE o.id = leg.operation_id)))`;

const oneLeg = 'SELECT * FROM leg WHERE id = $1';
const oneLegOf = `
  SELECT leg.* FROM leg JOIN operation o ON o.id = leg.operation_id
  WHERE leg.id = $1`;

const sellerBuyNamed = `
  SELECT * FROM seller_buy
  WHERE connection_id = $1 AND seller_media_buy_id = $2`;

const holders = `
  SELECT stands_elsewhere(c.id, $2) AS standing, b.*
  FROM connection c LEFT JOIN seller_buy b ON b.connection_id = c.id AND b.seller_media_buy_id = $2
  WHERE c.id = $1`;

const takeLeg = `
  UPDATE leg SET status = 'sent', attempts = attempts + 1, sent_at = $2, updated_at = $2,
    lease_until = lease_now($2) + ($3::timestamptz - $2::timestamptz),
    next_poll_at = lease_now($2) + ($3::timestamptz - $2::timestamptz)
  WHERE id = $1 AND NOT sealed AND status IN ('pending', 'sent')
    AND (lease_until IS NULL OR lease_until <= lease_now($2))
    AND ${notStopped}
  RETURNING *`;

const releaseLeg = `
  UPDATE leg SET lease_until = NULL, next_poll_at = $4
  WHERE id = $1 AND attempts = $2 AND sent_at IS NOT DISTINCT FROM $3::timestamptz`;

const giveBackUnsent = `
  UPDATE leg SET lease_until = NULL, next_poll_at = $4, attempts = attempts - 1,
    status = CASE WHEN attempts = 1 THEN 'pending' ELSE status END,
    sent_at = CASE WHEN attempts = 1 THEN NULL ELSE sent_at END
  WHERE id = $1 AND attempts = $2 AND sent_at IS NOT DISTINCT FROM $3::timestamptz AND status = 'sent'`;

const parkLeg = `
  UPDATE leg SET status = 'parked', lease_until = NULL, next_poll_at = NULL, updated_at = $3,
    findings = coalesce(findings, '[]'::jsonb) || $2::jsonb
  WHERE id = $1 AND status IN ('pending', 'sent')`;

const legsAbout = `
  SELECT l.* FROM leg l
  WHERE l.id IN (
    SELECT made.id FROM leg made WHERE made.operation_id = (SELECT operation_id FROM media_buy WHERE id = $1)
    UNION SELECT changed.id FROM seller_buy b JOIN leg changed ON changed.seller_buy_id = b.id WHERE b.media_buy_id = $1)
  ORDER BY l.created_at, l.seller, l.id`;

const changesOf = `
  SELECT c.*, o.principal_id FROM buy_change c LEFT JOIN operation o ON o.id = c.operation_id
  WHERE c.media_buy_id = $1 AND c.action <> 'create' ORDER BY c.at DESC, c.id LIMIT $2`;

const saveAnswer =
  'UPDATE operation SET answer = $2, updated_at = $3 WHERE id = $1 AND answer IS NULL RETURNING status';

const giveUp = `
  UPDATE operation o SET status = 'failed', idempotency_key = NULL, settled_at = $2, updated_at = $2
  WHERE id = $1 AND answer IS NULL AND NOT EXISTS (SELECT 1 FROM leg WHERE operation_id = o.id)`;

const dueLegs = `
  SELECT * FROM leg
  WHERE status IN ('pending', 'sent', 'submitted', 'working', 'input-required', 'auth-required')
    AND next_poll_at <= $1 AND (lease_until IS NULL OR lease_until <= lease_now($1))
    AND connection_id <> ALL ($3::uuid[])
    AND ${notStopped}
  ORDER BY next_poll_at LIMIT $2`;
