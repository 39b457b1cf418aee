import {
  campaignStandings,
  withCampaign,
  type CampaignAsked,
  type CampaignUse,
  type LimitStandings,
  type LimitUse,
  standingsOf,
  rateIn,
  type RateOf,
  type SpendPart,
  type Used,
} from '@switchyard/buys';
import type { CampaignReaction } from '@switchyard/tenancy';
import type { TenantClient } from '../core/tenant-client.js';
import type { campaignModel, organizationModel } from '../generated/models.js';

/**
 * The campaign of `here` with its rules and with what its buys have used, as one JSON value. Column of `here`:
 * campaign_id.
 */
export const campaignHere = `(select json_build_object('id', k.id, 'name', k.name, 'currency', k.currency,
       'budget', k.budget_micros::text, 'starts_on', k.starts_on, 'ends_on', k.ends_on, 'time_zone', g.time_zone,
       'above_budget', coalesce(k.above_budget, g.above_budget),
       'outside_flight', coalesce(k.outside_flight, g.outside_flight),
       'sums', (select json_agg(json_build_object('currency', t.currency, 'pending', t.pending_micros::text,
                  'committed', t.committed_micros::text))
                from spend_total t
                where t.organization_id = k.organization_id and t.kind = 'campaign' and t.key = k.id::text
                  and t.month = ''))
     from campaign k join organization g on g.id = k.organization_id where k.id = here.campaign_id)`;

const startOf = (request: string): string =>
  `case jsonb_typeof(${request} -> 'start_time') when 'string' then ${request} ->> 'start_time'
     when 'object' then coalesce(${request} #>> '{start_time,datetime}', 'asap') end`;

/**
 * When a buy runs, and when it would run after an operation, as one JSON value. `$1` is the operation and `$2` the media
 * buy, which may be null.
 */
export const flightHere = `(select json_build_object('start', b.start_time, 'end', b.end_time,
       'is_new', b.operation_id = f.id, 'asked_start', ${startOf('f.request')},
       'asked_end', case jsonb_typeof(f.request -> 'end_time') when 'string' then f.request ->> 'end_time' end)
     from operation f join media_buy b on b.id = $2 where f.id = $1)`;

export type CampaignRow = Pick<campaignModel, 'id' | 'name' | 'currency' | 'starts_on' | 'ends_on'> &
  Pick<organizationModel, 'time_zone'> & {
    readonly budget: string | null;
    readonly above_budget: CampaignReaction;
    readonly outside_flight: CampaignReaction;
    readonly sums:
      | readonly { readonly currency: string; readonly pending: string; readonly committed: string }[]
      | null;
  };

export interface FlightRow {
  readonly start: string;
  readonly end: string;
  readonly is_new: boolean;
  readonly asked_start: string | null;
  readonly asked_end: string | null;
}

/** The flight that an operation leads to, and for a change the one before it. */
export function flightsOf(row: FlightRow | null): Pick<CampaignAsked, 'flight' | 'before'> {
  if (row === null) return {};
  const before = { startTime: row.start, endTime: row.end };
  if (row.is_new) return { flight: before };
  return {
    before,
    flight: { startTime: row.asked_start ?? row.start, endTime: row.asked_end ?? row.end },
  };
}

/** One judgement for all doors: the limits that apply, and the rules of the campaign. */
export async function standingsWith(
  client: TenantClient,
  asked: CampaignAsked,
  {
    day,
    uses,
    campaign: row,
  }: {
    readonly day: string;
    readonly uses: readonly LimitUse[];
    readonly campaign: CampaignRow | null;
  },
): Promise<LimitStandings> {
  const campaign = row === null ? undefined : campaignOf(row);
  // A change that adds no money is judged by its days alone.
  const limits = asked.parts.length === 0 ? [] : uses;
  const judged = campaign === undefined ? limits : [...limits, { limit: campaign, sums: campaign.sums }];
  const rateOf = await ratesFor(client, asked.parts, judged, day);
  const found = standingsOf(asked.parts, limits, rateOf);
  return campaign === undefined ? found : withCampaign(found, campaignStandings(campaign, asked, rateOf));
}

export function campaignOf(row: CampaignRow): CampaignUse {
  return {
    id: row.id,
    name: row.name,
    currency: row.currency,
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    timeZone: row.time_zone,
    rules: { aboveBudget: row.above_budget, outsideFlight: row.outside_flight },
    sums: (row.sums ?? []).map(({ currency, pending, committed }) => ({
      currency,
      pending: BigInt(pending),
      committed: BigInt(committed),
    })),
    ...(row.budget !== null && { budget: BigInt(row.budget) }),
  };
}

/** Rates between the currencies involved, the newest of the day or before it. */
async function ratesFor(
  client: TenantClient,
  parts: readonly Pick<SpendPart, 'currency'>[],
  uses: readonly Used[],
  day: string,
): Promise<RateOf> {
  const to = uses.map(({ limit }) => limit.currency);
  const from = [...parts, ...uses.flatMap(({ sums }) => sums)].map(({ currency }) => currency);
  if (new Set([...from, ...to]).size < 2) return rateIn([]);
  const { rows } = await client.query<{ from: string; to: string; rate: string }>(
    `select distinct on (from_currency, to_currency) from_currency as from, to_currency as to, rate
     from exchange_rate where from_currency = any($1::text[]) and to_currency = any($2::text[]) and date <= $3
     order by from_currency, to_currency, date desc`,
    [[...new Set(from)], [...new Set(to)], day],
  );
  return rateIn(rows);
}
