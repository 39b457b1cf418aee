import { randomUUID } from 'node:crypto';
import {
  canAskAboutSellers,
  countedLegs,
  decideSpend,
  spendFindings,
  spreadOverMonths,
  verdictOn,
  withAdded,
  type ApprovalDraft,
  type LimitUse,
  type OperationDraft,
  type SpendPart,
  type SpendRefusal,
  type SpendTime,
  type LimitKind,
} from '@switchyard/buys';
import type { Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { insertRows } from '../buys/insert-rows.js';
import { storableJson } from '../core/storable.js';
import {
  campaignHere,
  flightHere,
  flightsOf,
  standingsWith,
  type CampaignRow,
  type FlightRow,
} from './campaign-use.js';
import type { TenantClient } from '../core/tenant-client.js';
import { sellersThatAsk } from '../sellers/capability-versions.js';
import { lockSpend } from './lock-spend.js';
import { planOf } from './part-facts.js';
import type {
  internal_approvalModel,
  spend_commitmentModel,
  spending_limitModel,
} from '../generated/models.js';

/** Rolls back what a limit refuses: nothing of the operation is stored. */
export class NotWithinLimits extends Error {
  constructor(readonly reason: SpendRefusal) {
    super('A spending limit does not take this operation.');
  }
}

/** Default wait of a request for an internal approval, in milliseconds. */
export const approvalMsByDefault = 72 * 3_600_000;

/**
 * Checks an operation's spend against every limit that applies, in the transaction that stores it, and writes its
 * commitments. Returns the id of an internal approval if one is needed: its legs are then held.
 *
 * It is the last step of its transaction: from here to the commit, transactions that commit or settle spend of an
 * organization take turns, so that two of them never use the same remaining amount.
 *
 * @throws NotWithinLimits if a limit refuses, or if a rate to check it is missing; the transaction must be rolled back
 */
export async function commitSpend(
  client: TenantClient,
  draft: OperationDraft,
  approvalMs: number,
): Promise<string | undefined> {
  const { operation } = draft;
  const { parts: requested, quotes } = draft.spend ?? { parts: [], quotes: [] };
  const mediaBuyId = draft.buy?.id ?? operation.mediaBuyId;
  const isUnderCampaign = mediaBuyId !== undefined && operation.campaignId !== undefined;
  if (requested.length === 0 && !isUnderCampaign) return undefined;
  const { at, parts, verdict, warnings } = await judge(client, operation, {
    mediaBuyId,
    requested,
    when: operation.createdAt,
  });
  if (warnings.length > 0) await addFindings(client, countedLegs(draft).slice(0, 1), warnings);
  const sellers = canAskAboutSellers(draft) ? [...new Set(parts.map(({ seller }) => seller))] : [];
  const changedSellers = sellers.length === 0 ? [] : await sellersThatAsk(client, sellers);
  const decided = decideSpend({ verdict, parts, changedSellers }, draft, approvalMs);
  if (decided.kind === 'nothing') return undefined;
  if (decided.kind === 'refused') throw new NotWithinLimits(decided.refusal);
  const dimensions = {
    principal_id: operation.principalId,
    client_id: at.client_id,
    brand_domain: at.brand_domain,
    campaign_id: at.campaign_id,
  };
  const when = new Date(operation.createdAt);
  await insertRows(
    client,
    'spend_commitment',
    parts.map((part) => ({
      id: randomUUID(),
      organization_id: client.organizationId,
      operation_id: operation.id,
      leg_id: part.legId,
      media_buy_id: mediaBuyId,
      seller: part.seller,
      ...dimensions,
      program: at.program,
      currency: part.currency,
      amount_micros: part.amount,
      state: decided.state,
      month: at.month,
      ...monthColumns(part),
      created_at: when,
      updated_at: when,
    })),
  );
  if (decided.approval === undefined) return undefined;
  return hold(client, decided.approval, {
    id: randomUUID(),
    organization_id: client.organizationId,
    operation_id: operation.id,
    task: operation.task,
    media_buy_id: mediaBuyId,
    revision: draft.buy === undefined ? (at.revision ?? undefined) : undefined,
    ...dimensions,
    amount_micros: decided.approval.amount.toString(),
    currency: decided.approval.currency,
    reason: decided.approval.reason,
    state: 'open',
    requested_at: when,
    expires_at: new Date(decided.approval.expiresAt),
    quotes: storableJson(quotes),
    sellers: decided.approval.sellers,
  });
}

/**
 * Takes the organization's turn, and checks parts of an operation against the limits after that. Both statements are
 * sent together; the second sees what was committed while the first waited.
 */
export async function judge(
  client: TenantClient,
  { id }: { readonly id: string },
  {
    mediaBuyId,
    requested,
    when,
  }: {
    readonly mediaBuyId: string | undefined;
    readonly requested: readonly SpendPart[];
    readonly when: Instant;
  },
) {
  const sellers = [...new Set(requested.map(({ seller }) => seller))];
  const [, found] = await Promise.all([
    lockSpend(client),
    client.query<PlaceRow>(place, [id, mediaBuyId ?? null, sellers, new Date(when)]),
  ]);
  const [at] = found.rows;
  if (at === undefined) throw new Error('An operation that was just stored cannot be read.');
  const parts = requested
    .map((part) => withAdded(part, (packageId) => budgetIn(at.budgets, part.seller, packageId)))
    .filter(({ amount }) => amount > 0n)
    .map((part) => spreadPart(part, at));
  const asked = { parts, at: when, ...flightsOf(at.flight) };
  const standings = await standingsWith(client, asked, { ...at, uses: usesOf(at.uses ?? []) });
  return { at, parts, verdict: verdictOn(standings), warnings: spendFindings(standings) };
}

/** Holds every unsent leg, and requests the approval that releases them. */
async function hold(
  client: TenantClient,
  { legIds, finding }: ApprovalDraft,
  row: Readonly<Record<string, unknown>> & { readonly id: string },
): Promise<string> {
  await client.query(`update leg set status = 'held', next_poll_at = null where id = any($1::uuid[])`, [
    legIds,
  ]);
  await addFindings(
    client,
    legIds.map((id) => ({ id })),
    [finding],
  );
  const columns = Object.keys(row);
  await client.query(
    `insert into internal_approval (${columns.join(', ')})
     values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
  return row.id;
}

async function addFindings(
  client: TenantClient,
  legs: readonly { readonly id: string }[],
  findings: readonly Finding[],
): Promise<void> {
  await client.query(
    `update leg set findings = coalesce(findings, '[]'::jsonb) || $2::jsonb where id = any($1::uuid[])`,
    [legs.map(({ id }) => id), storableJson(findings.map(({ code, message }) => ({ code, message })))],
  );
}

function budgetIn(budgets: PlaceRow['budgets'], seller: string, packageId: string): bigint | undefined {
  const found = budgets?.find((budget) => budget.seller === seller && budget.package_id === packageId);
  return found === undefined ? undefined : BigInt(found.micros);
}

/** Columns of a commitment's months, as array literals. */
const monthColumns = ({ months = [] }: SpendPart): Readonly<Record<string, string>> => ({
  months: `{${months.map(({ month }) => month).join()}}`,
  month_micros: `{${months.map(({ amount }) => amount).join()}}`,
});

/** A part with its months. */
export function spreadPart(
  part: SpendPart,
  { day, first_day: first, last_day: last, plan }: TimeRow,
): SpendPart {
  const time: SpendTime = {
    from: day,
    ...(first !== null && last !== null && { flight: { first, last } }),
    ...(plan !== null && { plan: planOf(plan) }),
  };
  return { ...part, months: spreadOverMonths(part.amount, time) };
}

/** When a buy would be spent; days in the organization's time zone. */
export interface TimeRow {
  readonly day: string;
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly plan: Readonly<Record<string, unknown>> | null;
}

interface PlaceRow
  extends
    TimeRow,
    Pick<spend_commitmentModel, 'month' | 'client_id' | 'brand_domain' | 'campaign_id' | 'program'>,
    Pick<internal_approvalModel, 'revision'> {
  readonly budgets:
    | readonly { readonly seller: string; readonly package_id: string; readonly micros: string }[]
    | null;
  readonly uses: readonly UseRow[] | null;
  readonly campaign: CampaignRow | null;
  readonly flight: FlightRow | null;
}

/** The name of what a limit `l` is for, where its key is an id. */
export const limitedName = `(case l.kind
       when 'program' then (select p.name from principal p where p.id = split_part(l.key, ':', 1)::uuid)
       when 'principal' then (select p.name from principal p where p.id = l.key::uuid)
       when 'client' then (select c.name from client c where c.id = l.key::uuid)
       when 'campaign' then (select k.name from campaign k where k.id = l.key::uuid) end)`;

/**
 * Limits that apply to `here`, and the sums that count against them. Columns of `here`: principal_id, client_id,
 * program, brand_domain, campaign_id and month. `$2` is the media buy, which may be null, and `$3` the slugs of the sellers.
 */
export const usesHere = `(select json_agg(json_build_object('id', l.id, 'kind', l.kind, 'key', l.key, 'name', ${limitedName},
       'amount', l.amount_micros::text,
       'currency', l.currency, 'per', l.per, 'above', l.above, 'created_at', l.created_at, 'sums', s.sums) order by l.id)
     from spending_limit l
     cross join lateral (
       select json_agg(json_build_object('currency', total.currency, 'pending', total.pending::text,
         'committed', total.committed::text, 'month', total.month)) as sums
       from (
         select t.currency, nullif(t.month, '') as month, t.pending_micros as pending,
           t.committed_micros as committed from spend_total t
         where t.kind = l.kind and t.key = l.key
           and case when l.per = 'month' then t.month >= here.month else t.month = '' end
         union all
         select c.currency, null, sum(case when c.state = 'pending' then c.amount_micros else 0 end),
                sum(case when c.state = 'committed' then c.amount_micros else 0 end)
         from spend_commitment c where l.kind = 'each_buy' and c.media_buy_id = $2 group by c.currency
       ) total) s
     where l.removed_at is null and (
       (l.kind in ('organization', 'each_buy') and l.key = '')
       or (l.kind = 'new_brand' and here.brand_domain is not null and not exists (
         select from spend_total t where t.kind = 'brand' and t.key = here.brand_domain))
       or (l.kind = 'principal' and l.key = here.principal_id::text)
       or (l.kind = 'program' and l.key = here.program)
       or (l.kind = 'client' and l.key = here.client_id::text)
       or (l.kind = 'brand' and l.key = here.brand_domain)
       or (l.kind = 'campaign' and l.key = here.campaign_id::text)
       or (l.kind = 'seller' and l.key = any($3::text[]))))`;

/** Owner of an operation, packages of its buy, and the limits that apply with their sums. */
const place = `
  with here as (
    select o.principal_id, coalesce(o.client_id, b.client_id) as client_id, b.revision,
           coalesce(o.brand_domain, b.brand_domain, lower(b.brand ->> 'domain')) as brand_domain,
           coalesce(o.campaign_id, b.campaign_id) as campaign_id, o.principal_id::text || ':' || o.program as program,
           to_char($4::timestamptz at time zone g.time_zone, 'YYYY-MM') as month,
           to_char($4::timestamptz at time zone g.time_zone, 'YYYY-MM-DD') as day,
           to_char(instant_of(b.start_time) at time zone g.time_zone, 'YYYY-MM-DD') as first_day,
           to_char(instant_of(b.end_time) at time zone g.time_zone, 'YYYY-MM-DD') as last_day,
           (select k.plan from campaign k where k.id = coalesce(o.campaign_id, b.campaign_id)) as plan
    from operation o join organization g on g.id = o.organization_id left join media_buy b on b.id = $2
    where o.id = $1)
  select here.*,
    (select json_agg(json_build_object('seller', p.seller, 'package_id', p.seller_package_id,
       'micros', p.budget_micros::text))
     from buy_package p where p.media_buy_id = $2 and p.seller_package_id is not null) as budgets,
    ${usesHere} as uses, ${campaignHere} as campaign, ${flightHere} as flight
  from here`;

/** A limit and the sums that count against it, as one JSON row. */
export interface UseRow extends Pick<spending_limitModel, 'id' | 'key' | 'currency'> {
  readonly kind: LimitKind;
  readonly name?: string | null;
  readonly amount: string;
  readonly per: 'month' | null;
  readonly above: 'ask' | 'refuse';
  readonly created_at: string | Date;
  readonly sums:
    | readonly {
        readonly currency: string;
        readonly pending: string;
        readonly committed: string;
        readonly month?: string | null;
      }[]
    | null;
}

export function usesOf(rows: readonly UseRow[]): readonly LimitUse[] {
  return rows.map((row) => ({
    limit: {
      id: row.id,
      kind: row.kind,
      key: row.key,
      amount: BigInt(row.amount),
      currency: row.currency,
      above: row.above,
      createdAt: new Date(row.created_at).getTime(),
      ...(row.per === null ? {} : { per: row.per }),
      ...(typeof row.name === 'string' && { name: row.name }),
    },
    sums: (row.sums ?? []).map(({ currency, pending, committed, month }) => ({
      currency,
      ...(typeof month === 'string' && { month }),
      pending: BigInt(pending),
      committed: BigInt(committed),
    })),
  }));
}
