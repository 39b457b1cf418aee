import type { OperationState } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { lockSpend } from './commit-spend.js';

/**
 * Updates the commitments of an operation and its buy, in the transaction that changes them and as its last step:
 * pending while a seller may still accept, committed once it has, released if it has not. The amount of a seller's part
 * follows its packages: a reduction is released, and of a cancellation only what was reported as delivered by then
 * stays (docs/protocol/media-buys.md#spending-limits).
 */
export async function settleSpend(
  client: TenantClient,
  before: OperationState,
  after: OperationState,
  at: Instant,
): Promise<void> {
  const isMoved = after.legs.some(
    (leg) => leg.status !== before.legs.find(({ id }) => id === leg.id)?.status,
  );
  const isChanged = after.packages !== before.packages || after.sellerBuys !== before.sellerBuys;
  if (!isMoved && !isChanged) return;
  const { operation, buy } = after;
  const mediaBuyId = buy?.id ?? operation.mediaBuyId;
  const known = await client.query({
    name: 'spend_known',
    text: `select 1 from spend_commitment where operation_id = $1 or media_buy_id = $2 limit 1`,
    values: [operation.id, mediaBuyId ?? null],
  });
  if (known.rowCount === 0) return;
  const when = new Date(at);
  await lockSpend(client);
  await client.query({ name: 'spend_of_legs', text: ofLegs, values: [operation.id, when] });
  if (mediaBuyId !== undefined)
    await client.query({ name: 'spend_of_parts', text: ofParts, values: [mediaBuyId, when] });
  await client.query({ name: 'internal_approval_withdrawn', text: withdrawn, values: [operation.id, when] });
}

const ofLegs = `
  update spend_commitment c set state = now.state, updated_at = $2
  from (
    select id, case when status = 'held' then 'waiting' when status = 'completed' then 'committed'
                    when status in ('failed', 'rejected', 'canceled') then 'released' else 'pending' end as state
    from leg where operation_id = $1) now
  where c.operation_id = $1 and now.id = c.leg_id and c.state <> now.state and c.state <> 'released'`;

/** Commitments of a part are filled from the oldest; the newest takes any excess that a seller made. */
const ofParts = `
  with part as (
    select s.seller,
      case when s.status in ('canceled', 'rejected') then
        (select coalesce(sum(spent.amount_micros), 0) from package_spend spent where spent.seller_buy_id = s.id)
      else coalesce(sum(case when p.canceled_at is null then p.budget_micros else (
        select coalesce(sum(spent.amount_micros), 0) from package_spend spent
        where spent.seller_buy_id = s.id and spent.package_ref = p.seller_package_id) end), 0) end as due,
      s.status in ('canceled', 'rejected') as is_over
    from seller_buy s
    join buy_package p on p.media_buy_id = s.media_buy_id and p.seller = s.seller
    join leg made on made.id = p.leg_id and made.status = 'completed'
    where s.media_buy_id = $1
    group by s.id, s.seller, s.status
  ), filled as (
    select c.id, c.amount_micros, part.is_over,
      greatest(part.due - (sum(c.amount_micros) over (partition by c.seller order by c.created_at, c.id)
                           - c.amount_micros), 0) as room,
      row_number() over (partition by c.seller order by c.created_at desc, c.id desc) = 1 as is_newest
    from spend_commitment c join part using (seller)
    where c.media_buy_id = $1 and c.state = 'committed'
  ), target as (
    select id, (case when is_newest and not is_over then room else least(amount_micros, room) end)::bigint as amount
    from filled
  )
  update spend_commitment c set amount_micros = target.amount, updated_at = $2
  from target where target.id = c.id and target.amount <> c.amount_micros`;

/** An approval ends once nothing waits for it: its buyer has canceled the request. */
const withdrawn = `
  update internal_approval a set state = 'withdrawn', decided_at = $2
  where a.operation_id = $1 and a.state = 'open'
    and not exists (select 1 from leg l where l.operation_id = $1 and l.task = a.task and l.status = 'held')`;

/** Where a buy belongs. */
interface SpendPlace {
  readonly clientId?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
}

/**
 * Moves a buy's commitments to another client, brand and campaign, sums included. Call it last in the transaction that
 * moves the buy. Limits are not checked: what was committed stays committed.
 */
export async function moveCommitments(
  client: TenantClient,
  mediaBuyId: string,
  to: SpendPlace,
  at: Instant,
): Promise<void> {
  await lockSpend(client);
  await client.query({
    name: 'spend_moved',
    text: `update spend_commitment set client_id = $2, brand_domain = $3, campaign_id = $4, updated_at = $5
           where media_buy_id = $1`,
    values: [mediaBuyId, to.clientId ?? null, to.brandDomain ?? null, to.campaignId ?? null, new Date(at)],
  });
  await client.query({
    name: 'internal_approval_moved',
    text: `update internal_approval set client_id = $2, brand_domain = $3, campaign_id = $4
           where media_buy_id = $1 and state = 'open'`,
    values: [mediaBuyId, to.clientId ?? null, to.brandDomain ?? null, to.campaignId ?? null],
  });
}

/** Adds commitments of one brand's buys without a client to a client. Called as `moveCommitments` is. */
export async function fillCommitments(
  client: TenantClient,
  { clientId, brandDomain }: Required<Pick<SpendPlace, 'clientId' | 'brandDomain'>>,
  at: Instant,
): Promise<void> {
  await lockSpend(client);
  await client.query(
    `update spend_commitment s set client_id = $1, updated_at = $3 from media_buy m
     where m.brand_domain = $2 and m.client_id = $1 and s.media_buy_id = m.id and s.client_id is null`,
    [clientId, brandDomain, new Date(at)],
  );
}
