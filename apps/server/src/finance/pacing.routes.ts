import type { ClientRepository } from '@switchyard/buys';
import { plannedByDay, usualSilentDays, type Pace } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { pacingPlace, type PacingFigures, type PacingWanted } from '@switchyard/store';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { defined, err, isUuid, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import { noCampaign, campaignIn, paceFor, paceMembers, paceView, utcDay } from '../business/index.js';
import { limitUpTo } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';

interface PacingDeps {
  readonly clients: ClientRepository;
  readonly pacing: (scope: TenantScope, wanted: PacingWanted) => Promise<readonly PacingFigures[]>;
  readonly clock: Clock;
}

const row = z.strictObject({
  campaign_id: z.string().exactOptional(),
  campaign: z.string().exactOptional(),
  media_buy_id: z.string().exactOptional(),
  client: z.string().exactOptional(),
  brand: z.string().exactOptional(),
  currency: z.string(),
  starts_on: z.string(),
  ends_on: z.string(),
  through: z.string().exactOptional().describe('Last day that is compared: over, and reported.'),
  ...paceMembers,
  planned_through: z.string().exactOptional(),
  delivered_through: z.string(),
  difference_percent: z.string().exactOptional().describe('Delivered against planned through that day.'),
  impressions: z
    .number()
    .exactOptional()
    .describe(
      'Of its reports that count; only with `campaign_id` or `media_buy_id`, and where each of the reports tells them.',
    ),
  days: z
    .array(z.strictObject({ day: z.string(), planned: z.string().exactOptional(), delivered: z.string() }))
    .exactOptional(),
});

/** Pages are small: each row reads the ledger entries of its buys. */
const usualRows = 50;

const route = routesOn<PacingDeps>();

/** Whether campaigns and buys deliver as planned. */
export const pacingRoutes = [
  route({
    method: 'get',
    path: '/v1/pacing',
    id: 'list_pacing',
    summary: 'Plan against delivery with a forecast, by campaign or by buy',
    needs: 'ledger.read',
    query: z.strictObject({
      ...pageQuery,
      ...sortQuery,
      by: z.enum(['campaign', 'buy']).exactOptional().describe('campaign unless set.'),
      campaign_id: z.string().max(100).exactOptional().describe('This campaign, or its buys.'),
      media_buy_id: z.string().max(200).exactOptional().describe('This buy, or the campaign that it is in.'),
      days: z.enum(['true', 'false']).exactOptional().describe('With plan and delivery of each day.'),
      silent_days: limitUpTo(60)
        .exactOptional()
        .describe(`Days without a figure that are an alert; ${usualSilentDays} unless set.`),
    }),
    answer: z.strictObject({ date: z.string(), pacing: z.array(row), next_cursor: nextCursor }),
    handle: async ({ clients, pacing, clock }, { caller, query }) => {
      const {
        by = 'campaign',
        campaign_id: campaignId,
        media_buy_id: mediaBuyId,
        days,
        sort,
        silent_days: silentDays = usualSilentDays,
      } = query;
      if (campaignId !== undefined && !isUuid(campaignId)) return err(noCampaign);
      const reach = reachOf(caller, 'ledger', 'read');
      const today = utcDay(clock);
      const page = await listPage(
        { id: 'list_pacing', caller, query: { limit: usualRows, ...query } },
        (part) =>
          pacing(caller, {
            ...{ by, reach, ...part },
            ...(campaignId !== undefined && { campaignIds: [campaignId] }),
            ...defined({ mediaBuyId }),
            ...(sort !== undefined && { sort }),
          }),
        pacingPlace,
      );
      if (!page.ok) return page;
      const isEmpty = campaignId !== undefined && page.value.rows.length === 0;
      if (isEmpty && !(await campaignIn({ clients }, caller, reach, campaignId))) return err(noCampaign);
      const rows = page.value.rows.map((figures) => ({
        ...viewOf(by, figures, paceFor(figures, today, silentDays)),
        ...(days === 'true' && { days: daysOf(figures) }),
      }));
      return ok({ date: today, pacing: rows, ...page.value.next });
    },
  }),
];

function viewOf(by: 'campaign' | 'buy', figures: PacingFigures, pace: Pace): z.output<typeof row> {
  const amount = (name: string, micros: bigint | undefined) =>
    micros === undefined ? {} : { [name]: microsToDecimal(micros) };
  return {
    ...(by === 'buy' ? { media_buy_id: figures.id } : { campaign_id: figures.id }),
    ...(by === 'campaign' && figures.name !== undefined && { campaign: figures.name }),
    ...defined({ client: figures.client, brand: figures.brandDomain }),
    currency: figures.currency,
    starts_on: figures.startsOn,
    ends_on: figures.endsOn,
    ...(pace.through !== undefined && { through: pace.through }),
    ...paceView(figures, pace),
    ...(figures.impressions !== undefined && { impressions: Number(figures.impressions) }),
    ...amount('planned_through', pace.plannedThroughMicros),
    delivered_through: microsToDecimal(pace.deliveredThroughMicros),
    // Hundredths of a percent, converted to micros by the factor 10,000.
    ...amount(
      'difference_percent',
      pace.differenceHundredths === undefined ? undefined : pace.differenceHundredths * 10_000n,
    ),
  };
}

function daysOf(figures: PacingFigures) {
  const planned = plannedByDay(figures);
  return [...new Set([...planned.keys(), ...figures.delivered.keys()])].sort().map((day) => {
    const plan = planned.get(day);
    return {
      day,
      ...(plan !== undefined && { planned: microsToDecimal(plan) }),
      delivered: microsToDecimal(figures.delivered.get(day) ?? 0n),
    };
  });
}
