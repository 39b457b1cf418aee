import type { Agent } from '../agent/agent.js';
import { type Buy, type BuyPackage, type Reporting, dayAfter, type DayFigure } from '../buys/buy.js';
import { nextStep, type CalendarStep } from '../buys/calendar.js';
import { impairmentsOf } from '../buys/show-buy.js';
import { compact } from '../json.js';
import { envelopeEvent, type EnvelopeFacts } from '../webhooks/envelope.js';
import type { OutEvent } from '../webhooks/out-event.js';
import { deliveryReport, type ReportFacts } from './report.js';
import { draw, drawWhole } from '../seeded.js';

/**
 * Runs a buy's compressed calendar, step by step, until its final report.
 *
 * A step is one entry in the books: figures, status and their report. After a restart overdue steps run at once, in
 * order. A step planned for an earlier version of the buy finds the newer one and is planned again.
 */
export function deliver(agent: Agent, buy: Buy): void {
  const next = nextStep(agent.seed, buy, agent.dayMs, agent.personality.finance);
  if (!next) return;
  agent.market.at(next.at, agent.agenda, () => {
    if (agent.books.buys.get(buy.mediaBuyId) !== buy) return;
    const taken = takeStep(agent, buy, next.step, next.following);
    agent.books.write({ buy: taken.buy, ...(taken.event ? { events: [taken.event] } : {}) });
    if (taken.event) agent.outbox.send(taken.event);
    deliver(agent, taken.buy);
  });
}

function takeStep(
  agent: Agent,
  before: Buy,
  step: CalendarStep,
  following: CalendarStep | undefined,
): { readonly buy: Buy; readonly event?: OutEvent } {
  const moved: Buy = { ...before, ...changed(agent, before, step), stepsDone: before.stepsDone + 1 };
  const reporting = moved.reporting;
  if (step.kind === 'start' || !reporting) return { buy: moved };
  if (step.kind === 'impair') return { buy: moved, event: impairmentEvent(agent, moved, reporting) };
  const buy = { ...moved, sequence: moved.sequence + 1 };
  const kind = ({ day: 'scheduled', adjust: 'adjusted', final: 'final' } as const)[step.kind];
  const nextAt =
    following && kind !== 'final' ? (buy.clockFrom ?? agent.market.now()) + following.afterMs : undefined;
  const facts: ReportFacts = {
    kind,
    day: step.day,
    sequence: buy.sequence,
    now: new Date(agent.now()).toISOString(),
    ...(nextAt === undefined ? {} : { nextExpectedAt: new Date(nextAt).toISOString() }),
  };
  const event = deliveryEvent(agent, buy, reporting, {
    message: `${kind} delivery report ${String(buy.sequence)} of ${buy.mediaBuyId}`,
    result: deliveryReport(agent.personality, buy, facts),
    notificationType: kind,
    sequence: buy.sequence,
  });
  return { buy, event };
}

function impairmentEvent(agent: Agent, buy: Buy, reporting: Reporting): OutEvent {
  const [impairment] = impairmentsOf(buy);
  return deliveryEvent(agent, buy, reporting, {
    message: `something that ${buy.mediaBuyId} needs is not there any more`,
    result: compact({
      notification_type: 'impairment',
      media_buy_id: buy.mediaBuyId,
      health: 'impaired',
      ...impairment,
    }),
    notificationType: 'impairment',
  });
}

/** An event of the reporting webhook of a buy. */
function deliveryEvent(
  agent: Agent,
  { mediaBuyId }: Buy,
  { url, token, secret }: Reporting,
  about: Pick<EnvelopeFacts, 'message' | 'result' | 'notificationType' | 'sequence'>,
): OutEvent {
  return envelopeEvent(agent, {
    ...{ url, token, secret, mediaBuyId, ...about },
    stream: `delivery ${mediaBuyId}`,
    operationId: `delivery_report_${mediaBuyId}`,
    taskId: `delivery_${mediaBuyId}`,
    taskType: 'media_buy_delivery',
    status: 'completed',
    context: undefined,
  });
}

function changed(agent: Agent, buy: Buy, step: CalendarStep): Partial<Buy> {
  const updatedAt = agent.now();
  const slug = agent.personality.slug;
  const isOver = buy.past === true && agent.personality.finance === 'over-delivers';
  const of = (part: BuyPackage, ordinal: number): FiguresOf => ({ seed: agent.seed, slug, ordinal, part });
  const withDays = (days: (part: BuyPackage, ordinal: number) => BuyPackage['days']): readonly BuyPackage[] =>
    buy.packages.map((part, ordinal) => ({ ...part, days: days(part, ordinal) }));
  switch (step.kind) {
    case 'start':
      return { updatedAt, status: 'active' };
    case 'day':
      return {
        updatedAt,
        packages: withDays((part, ordinal) => [
          ...part.days,
          dayFigure(of(part, ordinal), buy, step.day, isOver),
        ]),
      };
    case 'adjust':
      return {
        updatedAt,
        packages: withDays((part, ordinal) =>
          part.days.map((row, index) =>
            index === step.day ? correctedFigure(of(part, ordinal), index, row) : row,
          ),
        ),
      };
    case 'impair':
      return { updatedAt, impairedSince: new Date(updatedAt).toISOString() };
    case 'final':
      return { updatedAt, finalSent: true, ...(buy.status === 'canceled' ? {} : { status: 'completed' }) };
  }
}

/** The package whose figures are drawn: for the same seed always the same figures. */
interface FiguresOf {
  readonly seed: string;
  readonly slug: string;
  /** Index of the package in its buy. */
  readonly ordinal: number;
  readonly part: BuyPackage;
}

/**
 * The delivery of a package on the campaign day with this index.
 *
 * Between 90 and 99 % of the budget is spent over the flight, unevenly. Impressions are drawn first and priced, so
 * spend is a whole number of micros. It exceeds the budget by 8 % if the seller over-delivers (`isOver`).
 */
export function dayFigure(of: FiguresOf, buy: Buy, index: number, isOver = false): DayFigure {
  const { seed, slug, ordinal, part } = of;
  const about = [seed, slug, part.productId, ordinal] as const;
  const weights = Array.from({ length: buy.dayCount }, (_, day) =>
    drawWhole(70, 130, ...about, 'weight', day),
  );
  const sum = BigInt(weights.reduce((total, weight) => total + weight, 0));
  const share = isOver ? 1080 : drawWhole(900, 990, ...about, 'share');
  const spendable = (BigInt(part.budgetMicros) * BigInt(share)) / 1000n;
  const target = (spendable * BigInt(weights[index] ?? 0)) / sum;
  const impressions = (target * 1000n) / BigInt(part.priceMicros);
  return figureOf(dayAfter(buy.firstDay, index), impressions, {
    part,
    chance: draw(...about, 'clicks', index),
    version: 1,
  });
}

/** The same day after a correction: a few per cent fewer impressions. */
export function correctedFigure(
  { seed, slug, ordinal, part }: FiguresOf,
  index: number,
  row: DayFigure,
): DayFigure {
  const about = [seed, slug, part.productId, ordinal, index] as const;
  const stored = BigInt(drawWhole(910, 980, ...about, 'corrected'));
  const impressions = (BigInt(row.impressions) * stored) / 1000n;
  return figureOf(row.day, impressions, {
    part,
    chance: draw(...about, 'corrected clicks'),
    version: row.version + 1,
  });
}

function figureOf(
  day: string,
  impressions: bigint,
  { part, chance, version }: { readonly part: BuyPackage; readonly chance: number; readonly version: number },
): DayFigure {
  return {
    day,
    spendMicros: ((impressions * BigInt(part.priceMicros)) / 1000n).toString(),
    impressions: Number(impressions),
    clicks: Math.floor(Number(impressions) * (0.001 + chance * 0.004)),
    version,
  };
}
