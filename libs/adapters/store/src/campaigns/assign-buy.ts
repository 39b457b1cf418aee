import { isOfBrand, type BuyMove, type BuyMoved, type BuyAssignment, type MediaBuy } from '@switchyard/buys';
import { isInReach, type Reach } from '@switchyard/tenancy';
import { mediaBuyOf } from '../buys/rows.js';
import { rowWriter, type Row } from '../core/row-mapper.js';
import { insertRows } from '../buys/insert-rows.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { moveCommitments } from '../spending/settle-spend.js';
import { bookAssignments } from '../ledger/book-assignments.js';
import { lockHead } from '../ledger/stream-head.js';

/** Limit of assignments that one move books in the ledger: its own, and some earlier ones. */
const bookedAtOnce = 256;

/** A buy that can be moved, locked with its operations and the head of the ledger; else why not. */
export type Movable =
  | { readonly outcome: 'movable'; readonly buy: MediaBuy; readonly clientId?: string }
  | BuyMoved
  | undefined;

/** Checks a move and locks what it changes. Undefined if no such buy is in reach. */
export async function movableBuy(
  client: TenantClient,
  reach: Reach,
  { mediaBuyId, to, from }: Pick<BuyMove, 'mediaBuyId' | 'to' | 'from'>,
): Promise<Movable> {
  const named = [storableText(mediaBuyId)];
  // Locks in the order of every change of a buy: its operations first.
  await client.query(
    `select 1 from operation o
     where o.id = (select b.operation_id from media_buy b where b.id = $1) or o.media_buy_id = $1 order by o.id for update`,
    named,
  );
  const { rows } = await client.query<Row>('select b.* from media_buy b where b.id = $1 for update', named);
  const buy = rows[0] && mediaBuyOf(rows[0]);
  if (buy === undefined || !isInReach(reach, buy)) return undefined;
  const before = buy.campaignId === undefined ? {} : { from: buy.campaignId };
  if (from !== undefined && buy.campaignId !== from) return { outcome: 'elsewhere', ...before };
  if (buy.campaignId === to?.id) return { outcome: 'unchanged', ...before };
  const { brand_id: brandId } = buy.brand;
  const brand = { domain: buy.brandDomain ?? '', brandId: typeof brandId === 'string' ? brandId : '' };
  if (to !== undefined && !isOfBrand(to, brand)) return { outcome: 'other_brand', ...before };
  const period = await closedPeriodOf(client, buy.id);
  if (period !== undefined) return { outcome: 'period_closed', period, ...before };
  const clientId = to?.clientId ?? buy.clientId;
  return { outcome: 'movable', buy, ...(clientId !== undefined && { clientId }) };
}

/**
 * Moves a buy to a campaign, or to none: the buy, the operations that made and changed it, the assignment and its
 * ledger entry are one commit. Existing entries do not change. Limits are judged before, by `judgeMove`.
 */
export async function assignBuy(
  client: TenantSession,
  reach: Reach,
  move: BuyMove,
): Promise<BuyMoved | undefined> {
  const found = await movableBuy(client, reach, move);
  if (found?.outcome !== 'movable') return found;
  const { buy, clientId } = found;
  const { id, to, principalId, reason, at } = move;
  const { media_buy, operation } = client.models;
  const data = { client_id: clientId ?? null, campaign_id: to?.id ?? null };
  await media_buy.updateMany({ where: { id: buy.id }, data });
  await operation.updateMany({ where: { media_buy_id: buy.id }, data });
  await operation.updateMany({ where: { id: buy.operationId }, data });
  const assignment = {
    id,
    mediaBuyId: buy.id,
    source: 'person' as const,
    principalId,
    at,
    ...(to === undefined ? {} : { campaignId: to.id }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(reason === undefined ? {} : { reason }),
  };
  await insertRows(client, 'buy_assignment', assignmentRows(client.organizationId, assignment));
  await bookAssignments(client, at, bookedAtOnce);
  const place = {
    ...(buy.brandDomain !== undefined && { brandDomain: buy.brandDomain }),
    ...(clientId !== undefined && { clientId }),
    ...(to !== undefined && { campaignId: to.id }),
  };
  await moveCommitments(client, buy.id, place, at);
  return { outcome: 'moved', ...(buy.campaignId !== undefined && { from: buy.campaignId }) };
}

/** The newest closed period with figures of a buy. The head stays locked, so that none is closed meanwhile. */
async function closedPeriodOf(client: TenantClient, mediaBuyId: string): Promise<string | undefined> {
  await lockHead(client);
  const { rows } = await client.query<{ period: string }>(
    `select a.period from accounting_period a
     where a.state = 'closed' and exists (
       select from package_spend s
       where s.organization_id = a.organization_id and s.media_buy_id = $1 and s.month = a.period and s.amount_micros <> 0)
     order by a.period desc limit 1`,
    [mediaBuyId],
  );
  return rows[0]?.period;
}

const assignmentRow = rowWriter<BuyAssignment>()(
  'id, media_buy_id, campaign_id, client_id, source, reason, principal_id, at',
);

/** The row of a decision on the owner of a buy; the ledger entry is written later. */
export function assignmentRows(
  organizationId: string,
  assignment: BuyAssignment | undefined,
): readonly Row[] {
  return assignment === undefined ? [] : [{ ...assignmentRow(assignment), organization_id: organizationId }];
}
