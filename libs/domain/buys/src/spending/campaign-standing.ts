import { microsToDecimal, type Micros } from '@switchyard/money';
import type { Instant } from '@switchyard/values';
import type { CampaignRules } from '@switchyard/tenancy';
import type { Flight } from '../model/flight.js';
import { flightDays, todayOf } from './flight-days.js';
import {
  usedOf,
  type BreachWords,
  type JudgedLimit,
  type LimitStanding,
  type LimitStandings,
  type RateOf,
  type SpendPart,
  type SpendSum,
} from '../model/limit.js';

/** A campaign with what its buys have used, as a buy is judged against it. */
export interface CampaignUse {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  /** Absent: its budget is not judged. */
  readonly budget?: Micros;
  /** First and last day, `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn: string;
  readonly rules: CampaignRules;
  readonly sums: readonly SpendSum[];
  /** IANA time zone of the organization. */
  readonly timeZone: string;
}

/** What a request asks of a campaign. */
export interface CampaignAsked {
  /** Without parts that add nothing. */
  readonly parts: readonly SpendPart[];
  /** When the buy would run; absent where it is unknown. */
  readonly flight?: Flight;
  /** The flight before a change of the buy; absent for a new or a moved buy. */
  readonly before?: Flight;
  readonly at: Instant;
}

/** Adds the standings of a campaign to those of the limits, so that one verdict is made on both. */
export function withCampaign(found: LimitStandings, campaign: readonly LimitStanding[]): LimitStandings {
  return found.kind === 'known' ? { kind: 'known', standings: [...found.standings, ...campaign] } : found;
}

/**
 * Compares what a request commits with the budget of its campaign, and its days with the flight. Amounts are in the
 * currency of the campaign (docs/protocol/media-buys.md#campaigns).
 */
export function campaignStandings(
  campaign: CampaignUse,
  asked: CampaignAsked,
  rateOf: RateOf,
): readonly LimitStanding[] {
  const { budget } = campaign;
  return [
    ...(budget === undefined ? [] : [budgetStanding({ ...campaign, budget }, asked, rateOf)]),
    ...(asked.flight === undefined ? [] : [flightStanding(campaign, asked, asked.flight)]),
  ];
}

function budgetStanding(
  campaign: CampaignUse & { readonly budget: Micros },
  { parts }: CampaignAsked,
  rateOf: RateOf,
): LimitStanding {
  const { currency, budget, sums, rules } = campaign;
  const limit = limitOf(campaign, 'campaign_budget', rules.aboveBudget, budget);
  const used = usedOf({ limit, sums }, rateOf);
  const wanted = usedOf(
    { limit, sums: parts.map((part) => ({ ...part, pending: part.amount, committed: 0n })) },
    rateOf,
  );
  const without = 'from' in used ? used.from : 'from' in wanted ? wanted.from : undefined;
  if ('from' in used || 'from' in wanted) {
    const words = noRateWords(campaign.name, currency, without ?? '');
    const isExceeded = parts.length > 0;
    return { limit, pending: 0n, committed: 0n, requested: 0n, left: 0n, isExceeded, words };
  }
  const requested = wanted.pending;
  const left = budget - used.committed - used.pending;
  return {
    ...{ limit, ...used, requested, left, isExceeded: requested > 0n && requested > left },
    words: budgetWords(campaign, { ...used, requested, left }),
    ...convertedNote(campaign, parts, requested),
  };
}

type Amounts = Readonly<Record<'pending' | 'committed' | 'requested' | 'left', Micros>>;

function budgetWords(
  { name, budget, currency }: CampaignUse & { readonly budget: Micros },
  { committed, pending, requested, left }: Amounts,
): BreachWords {
  const of = (amount: Micros): string => `${microsToDecimal(amount)} ${currency}`;
  const rest = left < 0n ? `${of(-left)} above it already` : `${of(left)} left`;
  return {
    full: `Over the budget of the campaign ${name}, ${of(budget)}: ${of(committed)} committed, ${of(pending)} pending, ${rest}, ${of(requested)} requested.`,
    toBuyer: `The requested ${of(requested)} are more than is left of the budget of the campaign.`,
  };
}

function noRateWords(name: string, currency: string, from: string): BreachWords {
  const rest = `is in ${currency}, and no rate from ${from} was entered, so that nobody can say what is left of it.`;
  return {
    full: `The budget of the campaign ${name} ${rest}`,
    toBuyer: `The budget of the campaign ${rest}`,
  };
}

/** In another currency a person sees what the request counts as. */
function convertedNote({ currency }: CampaignUse, parts: readonly SpendPart[], requested: Micros) {
  const [first] = parts;
  if (first === undefined || first.currency === currency) return {};
  const sum = parts.reduce((total, { amount }) => total + amount, 0n);
  const own = `${microsToDecimal(sum)} ${first.currency}`;
  return {
    note: `The campaign is in ${currency}: ${own} count as ${microsToDecimal(requested)} ${currency}.`,
  };
}

function flightStanding(campaign: CampaignUse, asked: CampaignAsked, flight: Flight): LimitStanding {
  const { startsOn, endsOn, timeZone, rules, name } = campaign;
  const days = flightDays(flight, asked.at, timeZone);
  const before = asked.before && flightDays(asked.before, asked.at, timeZone);
  const isWider = before === undefined || days.first < before.first || days.last > before.last;
  const hasEnded = todayOf(asked.at, timeZone) > endsOn;
  const isOutside = hasEnded || days.first < startsOn || days.last > endsOn;
  const sums = new Map<string, Micros>();
  for (const { currency, amount } of asked.parts) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  const money = [...sums].map(([currency, amount]) => `${microsToDecimal(amount)} ${currency}`).join(' and ');
  const run = `the buy runs from ${days.first} to ${days.last}${money === '' ? '' : ` for ${money}`}`;
  const words = (which: string): string =>
    hasEnded
      ? `${which} ended on ${endsOn}: ${run}.`
      : `${which} runs from ${startsOn} to ${endsOn}: ${run}.`;
  return {
    limit: limitOf(campaign, 'campaign_flight', rules.outsideFlight, 0n),
    ...{ pending: 0n, committed: 0n, requested: 0n, left: 0n },
    isExceeded: isOutside && (asked.parts.length > 0 || isWider),
    words: { full: words(`The campaign ${name}`), toBuyer: words('The campaign') },
  };
}

function limitOf(
  { id, name, currency }: CampaignUse,
  kind: JudgedLimit['kind'],
  above: JudgedLimit['above'],
  amount: Micros,
): JudgedLimit {
  return { id, kind, key: id, name, amount, currency, above, createdAt: 0 };
}
