import type { Expected, ExpectedBuy, FloodBuy, FloodEvent, FloodNews } from './flood-plan.js';

type Report = Extract<FloodNews, { kind: 'report' }>;
const isEnd = (status: string): boolean => ['completed', 'failed', 'rejected', 'canceled'].includes(status);

/**
 * The expected state after the acknowledged events, from the rules alone, without code of the product.
 *
 * The first final status of a task counts. Of the reports of one package and day the one with the highest number
 * counts, and each report is recorded once, even if it is repeated. An impairment stays open until its end is reported.
 */
export function expectedAfter(buys: readonly FloodBuy[], acknowledged: readonly FloodEvent[]): Expected {
  const ofKind = (kind: FloodNews['kind']): readonly string[] =>
    acknowledged.filter(({ news }) => news.kind === kind).map(({ key }) => key);
  const received = acknowledged.filter(({ news }) => news.kind !== 'changed' && news.kind !== 'forged');
  const groups = new Map<string, Set<string>>();
  for (const event of received) {
    if (isWrong(event, received) || !hasGroup(event)) continue;
    const group = `${String(event.buy)} ${meaningOf(event.news)}`;
    groups.set(group, (groups.get(group) ?? new Set()).add(event.key));
  }
  return {
    buys: buys.map((buy, index) =>
      expectedBuy(
        buy,
        received.filter((event) => event.buy === index),
      ),
    ),
    events: Object.fromEntries(
      received.map((event) => [event.key, isWrong(event, received) ? ['quarantined'] : ['applied', 'stale']]),
    ),
    groups: [...groups.values()].map((keys) => [...keys]),
    changed: [...new Set(ofKind('changed'))],
    forged: ofKind('forged'),
  };
}

function expectedBuy(buy: FloodBuy, events: readonly FloodEvent[]): ExpectedBuy {
  const end = events.find(({ news }) => news.kind === 'task' && isEnd(news.status))?.news;
  const reports = new Map<number, Report>();
  const impairments = new Map<string, boolean>();
  for (const { news } of events) {
    if (news.kind === 'report' && news.wrong === undefined) reports.set(news.sequence, news);
    if (news.kind === 'impairment')
      impairments.set(news.id, news.isResolved || impairments.get(news.id) === true);
  }
  const highest = new Map<string, number>();
  for (const { day, sequence } of reports.values())
    highest.set(day, Math.max(sequence, highest.get(day) ?? 0));
  const counting = [...reports.values()].filter(({ day, sequence }) => highest.get(day) === sequence);
  return {
    mediaBuyId: buy.mediaBuyId,
    leg: end?.kind === 'task' ? end.status : 'working',
    versions: [...reports.values()]
      .flatMap((report) =>
        report.rows.map(({ packageId, micros }) => {
          const standing = counting.includes(report) ? 'current' : 'superseded';
          return `${packageId} ${report.day} ${String(report.sequence)} ${micros} ${standing}`;
        }),
      )
      .sort(),
    spend: counting
      .map(({ day, rows }) => `${day} ${String(rows.reduce((sum, row) => sum + BigInt(row.micros), 0n))}`)
      .filter((line) => !line.endsWith(' 0'))
      .sort(),
    reportEntries: reports.size,
    impairmentEntries: [...impairments.values()].reduce((sum, isResolved) => sum + (isResolved ? 2 : 1), 0),
    impairments: [...impairments]
      .map(([id, isResolved]) => `${id} ${isResolved ? 'resolved' : 'open'}`)
      .sort(),
  };
}

/** Authentic but wrong events, which a person decides. A second final status is one that differs from the first. */
function isWrong({ buy, news }: FloodEvent, received: readonly FloodEvent[]): boolean {
  if (news.kind === 'report') return news.wrong !== undefined;
  if (news.kind !== 'task' || !isEnd(news.status)) return false;
  const first = received.find(
    (event) => event.buy === buy && event.news.kind === 'task' && isEnd(event.news.status),
  );
  return first?.news.kind === 'task' && first.news.status !== news.status;
}

/** True if a repeated event has no further effect. A non-final status of a task may be repeated later. */
function hasGroup({ news }: FloodEvent): boolean {
  return news.kind !== 'task' || isEnd(news.status);
}

function meaningOf(update: FloodNews): string {
  switch (update.kind) {
    case 'task':
      return 'end';
    case 'report':
      return `report ${String(update.sequence)}`;
    case 'impairment':
      return `${update.id} ${String(update.isResolved)}`;
    default:
      return update.kind;
  }
}
