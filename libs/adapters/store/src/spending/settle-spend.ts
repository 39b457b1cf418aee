import type { OperationState } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { Writes } from '../buys/insert-rows.js';
import type { TenantClient } from '../core/tenant-client.js';
import { lockSpend } from './lock-spend.js';
import { beginsAt, isReportedSince } from './part-facts.js';
import { recommitInTurn } from './recommit-parts.js';

/** Whether a change may change what its operation and its buy commit. */
export function isSpendMoved(before: OperationState, after: OperationState): boolean {
  return (
    after.packages !== before.packages ||
    after.sellerBuys !== before.sellerBuys ||
    after.legs.some((leg) => leg.status !== before.legs.find(({ id }) => id === leg.id)?.status)
  );
}

/** Asks whether an operation or its buy commits anything: one row, or none. */
export function spendOf(state: OperationState): Parameters<Writes['send']>[1] {
  const ids = [state.operation.id, mediaBuyOf(state) ?? null];
  return {
    values: ids.length,
    text: (place) => {
      const [operation, buy] = ids.map(place);
      return `select 1 from spend_commitment where operation_id = ${operation} or media_buy_id = ${buy} limit 1`;
    },
  };
}

const mediaBuyOf = ({ buy, operation }: OperationState): string | undefined =>
  buy?.id ?? operation.mediaBuyId;

/**
 * Updates the commitments of an operation and its buy, in the transaction that changes them and as its last step:
 * pending while a seller may still accept, committed once it has, released if it has not. What a part commits then is
 * decided by `judgePart`.
 */
export async function settleSpend(
  client: TenantClient,
  before: OperationState,
  after: OperationState,
  at: Instant,
): Promise<void> {
  const { operation } = after;
  const mediaBuyId = mediaBuyOf(after);
  const when = new Date(at);
  await lockSpend(client);
  await client.query({ name: 'spend_of_legs', text: ofLegs, values: [operation.id, when] });
  await keepLowered(client, before, after, when);
  if (mediaBuyId !== undefined) await recommitInTurn(client, [mediaBuyId], at);
}

/** An approval ends once nothing waits for it: its buyer has canceled the request. */
const ofLegs = `
  with withdrawn as (
    update internal_approval a set state = 'withdrawn', decided_at = $2
    where a.operation_id = $1 and a.state = 'open'
      and not exists (select 1 from leg l where l.operation_id = $1 and l.task = a.task and l.status = 'held'))
  update spend_commitment c set state = now.state, updated_at = $2
  from (
    select id, case when status = 'held' then 'waiting' when status = 'completed' then 'committed'
                    when status in ('failed', 'rejected', 'canceled') then 'released' else 'pending' end as state
    from leg where operation_id = $1) now
  where c.operation_id = $1 and now.id = c.leg_id and c.state <> now.state and c.state <> 'released'`;

/** Notes the budgets that were lowered: their seller may have spent more than the new ones, and no report says it yet. */
async function keepLowered(
  client: TenantClient,
  before: OperationState,
  after: OperationState,
  at: Date,
): Promise<void> {
  const lowered = before.packages.filter(({ id, budgetMicros }) =>
    after.packages.some((now) => now.id === id && now.budgetMicros < budgetMicros),
  );
  if (lowered.length === 0) return;
  await client.query({
    name: 'spend_kept',
    text: kept,
    values: [
      lowered.map(({ id }) => id),
      lowered.map(({ budgetMicros }) => budgetMicros.toString()),
      at,
      client.organizationId,
    ],
  });
}

/** What has not begun is not kept: nothing of it can be spent. */
const kept = `
  update buy_package p set kept_since = $3,
    kept_micros = case when p.kept_since is null or ${isReportedSince} then n.micros
                       else greatest(p.kept_micros, n.micros) end
  from unnest($1::uuid[], $2::bigint[]) n(id, micros), seller_buy s, media_buy m
  where p.id = n.id and m.id = p.media_buy_id and s.organization_id = $4 and s.media_buy_id = p.media_buy_id
    and s.seller = p.seller and ${beginsAt} <= $3`;

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
