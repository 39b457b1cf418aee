import type { Agent } from '../agent/agent.js';
import type { Buy, BuyPackage, Reporting } from '../buys/buy.js';
import { nextStep, type CalendarStep } from '../buys/calendar.js';
import { impairmentsOf } from '../buys/show-buy.js';
import { compact } from '../json.js';
import { envelopeEvent } from '../webhooks/envelope.js';
import { correctedFigure, dayFigure, type FiguresOf } from './figures.js';
import type { OutEvent } from '../webhooks/out-event.js';
import { deliveryReport, type ReportFacts } from './report.js';

/**
 * Runs a buy's compressed calendar, step by step, until its final report.
 *
 * A step is one entry in the books: figures, status and their report. After a restart overdue steps run at once, in
 * order. A step planned for an earlier version of the buy finds the newer one and is planned again.
 */
export function deliver(agent: Agent, buy: Buy): void {
  const next = nextStep(agent.seed, buy, agent.dayMs, agent.personality.finance);
  if (!next) return;
  agent.agenda.at(next.at, () => {
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
    following && kind !== 'final' ? (buy.clockFrom ?? agent.now()) + following.afterMs : undefined;
  const facts: ReportFacts = {
    kind,
    day: step.day,
    sequence: buy.sequence,
    now: new Date(agent.now()).toISOString(),
    ...(nextAt === undefined ? {} : { nextExpectedAt: new Date(nextAt).toISOString() }),
  };
  const event = envelopeEvent(agent, {
    url: reporting.url,
    stream: `delivery ${buy.mediaBuyId}`,
    operationId: `delivery_report_${buy.mediaBuyId}`,
    token: reporting.token,
    secret: reporting.secret,
    taskId: `delivery_${buy.mediaBuyId}`,
    taskType: 'media_buy_delivery',
    status: 'completed',
    message: `${kind} delivery report ${String(buy.sequence)} of ${buy.mediaBuyId}`,
    result: deliveryReport(agent.personality.form, buy, facts),
    context: undefined,
    notificationType: kind,
    mediaBuyId: buy.mediaBuyId,
    sequence: buy.sequence,
  });
  return { buy, event };
}

function impairmentEvent(agent: Agent, buy: Buy, reporting: Reporting): OutEvent {
  const [impairment] = impairmentsOf(buy);
  return envelopeEvent(agent, {
    url: reporting.url,
    stream: `delivery ${buy.mediaBuyId}`,
    operationId: `delivery_report_${buy.mediaBuyId}`,
    token: reporting.token,
    secret: reporting.secret,
    taskId: `delivery_${buy.mediaBuyId}`,
    taskType: 'media_buy_delivery',
    status: 'completed',
    message: `something that ${buy.mediaBuyId} needs is not there any more`,
    result: compact({
      notification_type: 'impairment',
      media_buy_id: buy.mediaBuyId,
      health: 'impaired',
      ...impairment,
    }),
    context: undefined,
    notificationType: 'impairment',
    mediaBuyId: buy.mediaBuyId,
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
