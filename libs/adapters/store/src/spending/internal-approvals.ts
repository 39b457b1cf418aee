import {
  decideRequest,
  type Decided,
  type InternalApproval,
  type InternalApprovals,
  type InternalDecision,
  type OperationState,
  type RequestPlace,
  type WaitingFacts,
} from '@switchyard/buys';
import type { Reach } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import { busyDeps } from '../buys/begin-operation.js';
import { changeState, type ChangeOptions } from '../buys/change-state.js';
import { comparedBy } from '../core/list-statement.js';
import { retryDeadlock } from '../core/retry-deadlock.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { rowReader, type Row, type OrNull, type RowOf } from '../core/row-mapper.js';
import type { internal_approvalModel } from '../generated/models.js';
import { holdersOfBoth, isOnePerson } from '../tenancy/one-person.js';
import { judge } from './commit-spend.js';
import { lockRow } from '../core/lock-row.js';

/** Requests that wait for another person's approval, on PostgreSQL. */
export function internalApprovals(store: Store, options: ChangeOptions = {}): InternalApprovals {
  return {
    list: (scope, { reach, limit, after: [requestedAt, id] = [], sort = 'newest', ...filter }) =>
      store.inTenant(scope, async (client) => {
        const within = withinReach('a', reach, 13);
        const { since, until } = filter;
        const { rows } = await client.query<ApprovalRow>(
          `${approvals} where ${within.text} and ($1::text is null or a.state = $1)
             and ($2::text is null or $2 = any(a.sellers))
             and ($4::timestamptz is null or a.requested_at ${comparedBy(sort)} $4
               or (a.requested_at = $4 and a.id ${sort === 'oldest' ? '<' : '>'} $5::uuid))
             and ($6::timestamptz is null or a.requested_at >= $6) and ($7::timestamptz is null or a.requested_at < $7)
             and ($8::uuid is null or a.operation_id = $8) and ($9::text is null or a.media_buy_id = $9)
             and ($10::uuid is null or a.client_id = $10) and ($11::text is null or a.brand_domain = $11)
             and ($12::uuid is null or a.campaign_id = $12)
           order by a.requested_at ${sort === 'oldest' ? 'asc, a.id desc' : 'desc, a.id'} limit $3`,
          [
            filter.state ?? null,
            filter.seller ?? null,
            limit,
            requestedAt === undefined ? null : new Date(requestedAt),
            id ?? null,
            since === undefined ? null : new Date(since),
            until === undefined ? null : new Date(until),
            filter.operationId ?? null,
            filter.mediaBuyId ?? null,
            filter.clientId ?? null,
            filter.brandDomain ?? null,
            filter.campaignId ?? null,
            ...within.values,
          ],
        );
        return rows.map(approvalOf);
      }),
    find: (scope, id, reach) => store.inTenant(scope, (client) => oneOf(client, id, reach)),
    isOnePerson: (scope, ...principals) =>
      store.inTenant(scope, (client) => isOnePerson(client, ...principals)),
    places: (scope, operationIds) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<PlaceRow>(placesOf, [[...operationIds]]);
        return new Map(rows.map(placeOf).map((place) => [place.operationId, place]));
      }),
    decide: (scope, id, decision, change) =>
      retryDeadlock(() =>
        store.inTenant(scope, (client) => decide(client, id, decision, { change, options })),
      ),
    expired: (scope, now, limit) =>
      store.inTenantModels(scope, async ({ internal_approval }) => {
        const rows = await internal_approval.findMany({
          where: { state: 'open', expires_at: { lte: new Date(now) } },
          select: { id: true },
          orderBy: { expires_at: 'asc' },
          take: limit,
        });
        return rows.map(({ id }) => id);
      }),
  };
}

/** Locks the operation, as every change of it does: of two concurrent decisions the second finds the first. */
async function decide(
  client: TenantSession,
  id: string,
  decision: InternalDecision,
  how: { readonly change: (state: OperationState) => OperationState; readonly options: ChangeOptions },
): Promise<Decided> {
  const { rows } = await client.query<OpenRow>(lockOpen, [id]);
  const [open] = rows;
  if (open === undefined) return { kind: 'decided_before' };
  const { month, ...facts } = await loadWaiting(client, { id, open, decision });
  const decided = decideRequest(facts, decision);
  if (decided.kind !== 'decided') return decided;
  const both = decision.by === undefined ? [] : await holdersOfBoth(client, open.principal_id, decision.by);
  // It counts in the month in which it is sent.
  if (month !== undefined)
    await client.models.spend_commitment.updateMany({
      where: { operation_id: open.operation_id, state: 'waiting' },
      data: { month },
    });
  await client.models.internal_approval.updateMany({
    where: { id },
    data: {
      state: decision.state,
      decided_at: new Date(decision.at),
      decided_by: decision.by ?? null,
      decision_reason: decision.reason === undefined ? null : storableText(decision.reason.slice(0, 2_000)),
      holders_of_both: both.map(({ name }) => name),
    },
  });
  await changeState(client, open.leg_id, how.change, how.options);
  return decided;
}

/** What a decision stands on. Its statements come after the lock, and see a decision made while that was waited for. */
async function loadWaiting(
  client: TenantSession,
  {
    id,
    open,
    decision,
  }: { readonly id: string; readonly open: OpenRow; readonly decision: InternalDecision },
): Promise<WaitingFacts & { readonly month?: string }> {
  const found = await client.models.internal_approval.findFirst({ where: { id } });
  const { state = '', expires_at: expiresAt = new Date(0) } = found ?? {};
  const facts = { state, expiresAt: expiresAt.getTime() };
  if (decision.state !== 'approved' || state !== 'open') return facts;
  const [place, parts] = await Promise.all([
    changesOf(client, open),
    client.models.spend_commitment.findMany({
      where: { operation_id: open.operation_id, state: 'waiting' },
    }),
  ]);
  const { at, verdict } = await judge(
    client,
    { id: open.operation_id },
    {
      mediaBuyId: open.media_buy_id ?? undefined,
      requested: parts.map(({ leg_id: legId, seller, amount_micros: amount, currency }) => ({
        ...{ legId, seller, amount, currency },
      })),
      when: decision.at,
    },
  );
  return { ...facts, ...place, verdict, month: at.month };
}

/** What became of the buy since a change of it was planned; locked. */
async function changesOf(
  client: TenantClient,
  { media_buy_id: mediaBuyId, revision, seller_buy_ids: sellerBuyIds }: OpenRow,
): Promise<Pick<WaitingFacts, 'hasChanged' | 'busySeller'>> {
  if (mediaBuyId === null || revision === null) return {};
  const [locked, busy] = await Promise.all([
    lockRow(client, 'media_buy', { id: mediaBuyId }, ['revision']),
    client.query<{ seller: string }>(busyDeps, [sellerBuyIds]),
  ]);
  return {
    hasChanged: locked?.revision !== revision,
    ...present({ busySeller: busy.rows[0]?.seller }),
  };
}

type OpenRow = Pick<internal_approvalModel, 'operation_id' | 'principal_id' | 'media_buy_id' | 'revision'> & {
  readonly leg_id: string;
  readonly seller_buy_ids: readonly string[];
};

const lockOpen = `
  select a.operation_id, a.principal_id, a.media_buy_id, a.revision,
    (select l.id from leg l where l.operation_id = o.id order by l.seller, l.id limit 1) as leg_id,
    array(select l.seller_buy_id from leg l where l.operation_id = o.id and l.seller_buy_id is not null) as seller_buy_ids
  from operation o join internal_approval a on a.operation_id = o.id
  where a.id = $1 for update of o`;

async function oneOf(client: TenantClient, id: string, reach: Reach): Promise<InternalApproval | undefined> {
  if (!isUuid(id)) return undefined;
  const within = withinReach('a', reach, 2);
  const text = `${approvals} where a.id = $1 and ${within.text}`;
  const { rows } = await client.query<ApprovalRow>(text, [id, ...within.values]);
  return rows[0] === undefined ? undefined : approvalOf(rows[0]);
}

const names = `
  left join principal p on p.id = a.principal_id
  left join client c on c.id = a.client_id
  left join campaign k on k.id = a.campaign_id`;

const buyAccount = `coalesce(b.brand ->> 'domain', '') || ' by ' || b.operator as account`;

const approvals = `
  select a.*, p.name as principal_name, c.name as client_name, k.name as campaign_name, ${buyAccount},
         d.name as decided_by_name
  from internal_approval a ${names} left join principal d on d.id = a.decided_by
  left join media_buy b on b.id = a.media_buy_id`;

const placesOf = `
  select a.id as operation_id, a.principal_id, a.client_id, a.campaign_id, p.name as principal_name,
         c.name as client_name, k.name as campaign_name, coalesce(a.brand_domain, b.brand_domain) as brand_domain,
         ${buyAccount}, s.amount_micros, s.currency
  from operation a ${names}
  left join lateral (
    select brand_domain, brand, operator from media_buy where id = a.media_buy_id
    union all select brand_domain, brand, operator from media_buy where operation_id = a.id limit 1) b on true
  left join lateral (
    select sum(amount_micros) as amount_micros, min(currency) as currency from spend_commitment
    where operation_id = a.id) s on true
  where a.id = any($1::uuid[])`;

/** A row whose amount may be NULL; `principal_id` is the requester. */
type PlaceRow = Row &
  Pick<internal_approvalModel, 'principal_id'> &
  OrNull<Pick<RowOf<internal_approvalModel>, 'amount_micros'>> & { readonly principal_name: string | null };

const readPlace = rowReader<Omit<RequestPlace, 'requestedBy' | 'requestedByName' | 'amount'>>()(
  'operation_id, client_id, client_name, brand_domain, campaign_id, campaign_name, account, currency',
);

function placeOf(row: PlaceRow): RequestPlace {
  return {
    ...readPlace(row),
    requestedBy: row.principal_id,
    ...present({
      requestedByName: row.principal_name,
      amount: row.amount_micros === null ? undefined : BigInt(row.amount_micros),
    }),
  };
}

type ApprovalRow = PlaceRow & Pick<RowOf<internal_approvalModel>, 'amount_micros'>;

const readApproval = rowReader<Omit<InternalApproval, 'amount' | Exclude<keyof RequestPlace, 'currency'>>>()(`
  id, task, sellers, currency, reason, quotes, state, requested_at, expires_at, media_buy_id, decided_at, decided_by,
  decided_by_name, decision_reason, holders_of_both`);

function approvalOf(row: ApprovalRow): InternalApproval {
  return { ...placeOf(row), ...readApproval(row), amount: BigInt(row.amount_micros) };
}
