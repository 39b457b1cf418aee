import type { Expected, ExpectedBuy, FloodBuy, FloodEvent, FloodUpdate } from './flood-plan.js';

type Report = Extract<FloodUpdate, { kind: 'report' }>;
const isEnd = (status: string): boolean => ['completed', 'failed', 'rejected', 'canceled'].includes(status);

/**
 * The expected state after the acknowledged events, from the rules alone, without code of the product.
 *
 * The first final status of a task counts. Of the reports of one package and day the one with the highest number
 * counts, and each report is recorded once, even if it is repeated. An impairment stays open until its end is reported.
 */
export function expectedAfter(buys: readonly FloodBuy[], acknowledged: readonly FloodEvent[]): Expected {
  const ofKind = (kind: FloodUpdate['kind']): readonly string[] =>
    acknowledged.filter(({ update }) => update.kind === kind).map(({ key }) => key);
  const received = acknowledged.filter(({ update }) => update.kind !== 'changed' && update.kind !== 'forged');
  const groups = new Map<string, Set<string>>();
  for (const event of received) {
    if (isWrong(event, received) || !hasGroup(event)) continue;
    const group = `${String(event.buy)} ${meaningOf(event.update)}`;
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
  const end = events.find(({ update }) => update.kind === 'task' && isEnd(update.status))?.update;
  const reports = new Map<number, Report>();
  const impairments = new Map<string, boolean>();
  for (const { update } of events) {
    if (update.kind === 'report' && update.wrong === undefined) reports.set(update.sequence, update);
    if (update.kind === 'impairment')
      impairments.set(update.id, update.isResolved || impairments.get(update.id) === true);
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
function isWrong({ buy, update }: FloodEvent, received: readonly FloodEvent[]): boolean {
  if (update.kind === 'report') return update.wrong !== undefined;
  if (update.kind !== 'task' || !isEnd(update.status)) return false;
  const first = received.find(
    (event) => event.buy === buy && event.update.kind === 'task' && isEnd(event.update.status),
  );
  return first?.update.kind === 'task' && first.update.status !== update.status;
}

/** True if a repeated event has no further effect. A non-final status of a task may be repeated later. */
function hasGroup({ update }: FloodEvent): boolean {
  return update.kind !== 'task' || isEnd(update.status);
}

function meaningOf(update: FloodUpdate): string {
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
