import { ApiFailure, type JsonObject } from '../../../api/client.js';
import { isDay } from '../../../parts/forms/date-input.js';
import { decimal, micros, moneyText } from '../../../parts/money.js';
import { isDomain, type Basket } from './basket.js';
import { packagesOf, splitMonths } from './plan-months.js';

/** The sum of the budgets in each currency. */
export function totalsOf(basket: Basket, today: string) {
  const sums = new Map<string, bigint>();
  for (const { line, budget } of packagesOf(basket, today))
    sums.set(line.currency, (sums.get(line.currency) ?? 0n) + (micros(budget) ?? 0n));
  return [...sums].map(([currency, sum]) => ({ currency, sum, text: moneyText(decimal(sum), currency) }));
}

/** What is missing before the plan can be bought, as sentences. */
export function problemsOf(basket: Basket, today: string): readonly string[] {
  const { lines, brand, end, start } = basket;
  const problems: string[] = [];
  if (!isDomain(brand)) problems.push('Name the brand by its domain, such as acme.example.');
  if (!isDay(end)) problems.push('Say the last day, as YYYY-MM-DD.');
  if (start !== '' && !isDay(start)) problems.push('Write the first day as YYYY-MM-DD, or leave it empty.');
  if (isDay(start) && isDay(end) && end < start) problems.push('The last day is before the first.');
  if (new Set(lines.map(({ currency }) => currency)).size > 1)
    problems.push('A buy has one currency: remove the packages in others.');
  for (const { line, budget, month } of packagesOf(basket, today)) {
    const name = month === undefined ? line.name : `${line.name} in ${month.month}`;
    const amount = micros(budget);
    // A budget is sent as a JSON number: every program keeps 15 digits exactly.
    if (amount === undefined || amount <= 0n || budget.replace('.', '').length > 15)
      problems.push(`Give ${name} a budget, such as 2500.50.`);
    else if (amount < (micros(line.minimum) ?? 0n))
      problems.push(`${name} needs at least ${moneyText(line.minimum, line.currency)}.`);
  }
  for (const { name, isAuction, bid } of lines)
    if (isAuction && (micros(bid) ?? 0n) <= 0n) problems.push(`${name} is an auction: give a bid.`);
  return problems;
}

const dayAfter = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();

/** The plan as a request of `create_media_buy`. `operator` is the domain of the organization. */
export function requestOf(basket: Basket, operator: string, today: string): JsonObject {
  const { brand, start, end, campaignId } = basket;
  const domain = brand.trim().toLowerCase();
  const months = splitMonths(basket, today);
  return {
    adcp_version: '3.1',
    idempotency_key: basket.key,
    account: { brand: { domain }, operator },
    brand: { domain },
    start_time: start === '' ? 'asap' : `${start}T00:00:00Z`,
    end_time: dayAfter(end),
    ...(campaignId !== '' && { ext: { switchyard: { campaign_id: campaignId } } }),
    packages: packagesOf(basket, today).map(({ line, budget, month }) => ({
      product_id: line.productId,
      pricing_option_id: line.pricingOptionId,
      budget: Number(budget),
      ...(line.isAuction && { bid_price: Number(line.bid) }),
      // The first month begins and the last one ends with the buy.
      ...(month !== undefined &&
        month.month !== months[0]?.month && { start_time: `${month.from}T00:00:00Z` }),
      ...(month !== undefined && month.month !== months.at(-1)?.month && { end_time: dayAfter(month.to) }),
      ...((line.creativeIds?.length ?? 0) > 0 && {
        creative_assignments: (line.creativeIds ?? []).map((id) => ({ creative_id: id })),
      }),
    })),
  };
}

/** Errors after which the order may have been taken, or is still under way: it goes out again under its key. */
const uncertain = new Set(['IDEMPOTENCY_IN_FLIGHT', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE']);

/** Whether the server refused an order. Everything else, a lost connection for example, may have bought. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status > 0 && error.status < 500 && !uncertain.has(error.code);
