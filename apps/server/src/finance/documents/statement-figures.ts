import { plannedByDay, daysOfPeriod, type PackageFigures } from '@switchyard/ledger';
import type { PacingFigures, PacingWanted, SpendRow } from '@switchyard/store';
import type { TenantScope, Reach } from '@switchyard/tenancy';

export interface StatementFiguresDeps {
  readonly figures: (
    scope: TenantScope,
    wanted: { readonly period: string; readonly buys: readonly string[]; readonly invoices: readonly [] },
  ) => Promise<{ readonly packages: readonly PackageFigures[] }>;
  readonly pacing: (scope: TenantScope, wanted: PacingWanted) => Promise<readonly PacingFigures[]>;
}

/** Counting reads every report of a buy, so that a statement of more buys has its spend alone. */
const buysCountedAtMost = 500;
const campaignsAtMost = 500;

/** Impressions by buy and seller, of what sellers have counted; undefined for more than 500 buys. */
export async function impressionsOf(
  { figures }: Pick<StatementFiguresDeps, 'figures'>,
  scope: TenantScope,
  { period, spend }: { readonly period: string; readonly spend: readonly SpendRow[] },
): Promise<ReadonlyMap<string, bigint>> {
  const buys = [...new Set(spend.flatMap(({ media_buy_id: id }) => id ?? []))];
  if (buys.length === 0 || buys.length > buysCountedAtMost) return new Map();
  const counted = new Map<string, bigint>();
  const { packages } = await figures(scope, { period, buys, invoices: [] });
  for (const { mediaBuyId, seller, units } of packages) {
    const key = countedKey(mediaBuyId, seller);
    if (units !== undefined) counted.set(key, (counted.get(key) ?? 0n) + units);
  }
  return counted;
}

export const countedKey = (mediaBuyId: string, seller: string): string =>
  JSON.stringify([mediaBuyId, seller]);

/** What each campaign was planned to spend in a month. Its spend and its plan are in the currency of the campaign. */
export interface CampaignPlan {
  readonly client?: string;
  readonly campaign: string;
  readonly currency: string;
  readonly plannedMicros: bigint;
  /** By day of the month. */
  readonly days: ReadonlyMap<string, bigint>;
}

/** The plans of campaigns, by their ids; nothing of more than 500. */
export async function plansOf(
  { pacing }: Pick<StatementFiguresDeps, 'pacing'>,
  scope: TenantScope,
  {
    period,
    campaignIds,
    reach,
  }: { readonly period: string; readonly campaignIds: readonly string[]; readonly reach: Reach },
): Promise<readonly CampaignPlan[]> {
  if (campaignIds.length === 0 || campaignIds.length > campaignsAtMost) return [];
  const { from, to } = daysOfPeriod(period);
  const found = await pacing(scope, { by: 'campaign', reach, campaignIds, limit: campaignsAtMost });
  return found.flatMap((figures) => {
    const days = new Map([...plannedByDay(figures)].filter(([day]) => day >= from && day < to));
    if (days.size === 0) return [];
    const plannedMicros = [...days.values()].reduce((sum, micros) => sum + micros, 0n);
    const { client, name: campaign = '', currency } = figures;
    return [{ ...(client !== undefined && { client }), campaign, currency, plannedMicros, days }];
  });
}
