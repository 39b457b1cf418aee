import type { Agent } from '../agent/agent.js';
import type { Buy, BuyPackage } from '../buys/buy.js';
import { objectOf, textOf, type Json, type JsonObject } from '../json.js';
import { amountOf, microsOf } from '../micros.js';
import { done, type Outcome } from '../agent/outcome.js';
import { unable } from '../agent/unable.js';

interface Figures {
  readonly spendMicros: bigint;
  readonly impressions: number;
  readonly clicks: number;
}

/** Adds figures of today to the first package, like a delivered day. */
export function simulateDelivery(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  if (buy?.packages[0] === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const spendMicros = microsOf(objectOf(params['reported_spend'])?.['amount'] ?? 0);
  const impressions = countOf(params['impressions']);
  const clicks = countOf(params['clicks']);
  if (spendMicros === undefined || impressions === undefined || clicks === undefined)
    return unable('INVALID_PARAMS', 'impressions, clicks and reported_spend.amount are not below zero');
  const added = { spendMicros, impressions, clicks };
  const { changed, today } = withFigures(agent, buy, buy.packages[0], added);
  return done(
    { success: true, simulated: shown(buy, added), cumulative: shown(buy, today) },
    { buy: changed },
  );
}

/** Raises the spend of a buy to a share of its budget. Spend is never reduced. */
export function simulateBudgetSpend(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  if (buy?.packages[0] === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const share = params['spend_percentage'];
  if (typeof share !== 'number' || share < 0 || share > 100)
    return unable('INVALID_PARAMS', 'spend_percentage is a number from 0 to 100');
  const budget = sum(buy.packages.map((part) => BigInt(part.budgetMicros)));
  const spent = sum(buy.packages.flatMap(({ days }) => days.map((day) => BigInt(day.spendMicros))));
  const wanted = (budget * BigInt(Math.round(share * 100))) / 10_000n;
  if (wanted < spent)
    return unable('INVALID_TRANSITION', 'more than that is spent already', amountOf(spent).toString());
  const added = { spendMicros: wanted - spent, impressions: 0, clicks: 0 };
  const { changed } = withFigures(agent, buy, buy.packages[0], added);
  const simulated = {
    spend_percentage: share,
    computed_spend: amountOf(wanted),
    budget: amountOf(budget),
    currency: buy.currency,
  };
  return done({ success: true, simulated }, { buy: changed });
}

function withFigures(
  agent: Agent,
  buy: Buy,
  first: BuyPackage,
  added: Figures,
): { readonly changed: Buy; readonly today: Figures } {
  const day = new Date(agent.now()).toISOString().slice(0, 10);
  const known = first.days.find((row) => row.day === day);
  const today = {
    spendMicros: added.spendMicros + BigInt(known?.spendMicros ?? '0'),
    impressions: added.impressions + (known?.impressions ?? 0),
    clicks: added.clicks + (known?.clicks ?? 0),
  };
  const row = {
    day,
    ...today,
    spendMicros: today.spendMicros.toString(),
    version: (known?.version ?? 0) + 1,
  };
  const part: BuyPackage = { ...first, days: [...first.days.filter((figure) => figure !== known), row] };
  const packages = [part, ...buy.packages.slice(1)];
  return { changed: { ...buy, packages, updatedAt: agent.now() }, today };
}

function shown(buy: Buy, { spendMicros, impressions, clicks }: Figures): JsonObject {
  return {
    impressions,
    clicks,
    reported_spend: { amount: amountOf(spendMicros), currency: buy.currency },
  };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

function countOf(value: Json | undefined): number | undefined {
  if (value === undefined) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
